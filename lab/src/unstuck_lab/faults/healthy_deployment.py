"""No fault: a Deployment of two Pods. Any cause reported for it is wrong."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _steps

NS, NAME = "f-healthy-deployment", "web"


def apply(lab: Lab) -> None:
    workload = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME, "namespace": NS},
        "spec": {"replicas": 2, **_objects.make_workload_template(NS, NAME)},
    }
    lab.apply(_objects.make_namespace(NS), workload)


def observe(lab: Lab) -> str | None:
    found = lab.get(f"/apis/apps/v1/namespaces/{NS}/deployments/{NAME}")
    ready = found["status"].get("readyReplicas", 0) if found else 0
    return f"{ready} of 2 replicas ready" if ready == 2 else None


FAULT = Fault(
    name="healthy-deployment",
    summary="a Deployment with all its replicas ready",
    scope="pod",
    subject=f"deployment/{NAME}",
    namespace=NS,
    accepts=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
