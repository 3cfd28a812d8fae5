"""A Deployment with a selector that matches everything, accepted by an old API server and still in etcd: its
controller skips it.
"""

import json
import uuid

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _etcd, _objects, _steps

NS, NAME = "f-selector-of-all", "selects-all"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS))
    template = _objects.make_workload_template(NS, NAME)["template"]
    stored = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": NAME,
            "namespace": NS,
            "uid": str(uuid.uuid4()),
            "generation": 1,
            "creationTimestamp": _objects.format_now(),
        },
        "spec": {"replicas": 1, "selector": {}, "template": template, "strategy": {"type": "RollingUpdate"}},
        "status": {},
    }
    # No current server accepts it, so it is written directly to etcd.
    _etcd.put(lab, f"deployments/{NS}/{NAME}", json.dumps(stored))


FAULT = Fault(
    name="selector-of-all",
    summary="a Deployment creates no Pods because its selector matches all of them",
    scope="pod",
    subject=f"deployment/{NAME}",
    namespace=NS,
    accepts=("controller.selector-wrong",),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _checks.find_event(lab, NS, NAME, "SelectingAll"),
    heal=_steps.make_heal(NS),
)
