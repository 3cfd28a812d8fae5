"""No fault: a StatefulSet of two Pods with a headless Service."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _steps

NS, NAME = "f-healthy-statefulset", "store"


def apply(lab: Lab) -> None:
    labels = {"app": NAME}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME, "namespace": NS},
        "spec": {"clusterIP": "None", "selector": labels, "ports": [{"port": 80}]},
    }
    workload = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": NAME, "namespace": NS},
        "spec": {"replicas": 2, "serviceName": NAME, **_objects.make_workload_template(NS, NAME)},
    }
    lab.apply(_objects.make_namespace(NS), service, workload)


def observe(lab: Lab) -> str | None:
    found = lab.get(f"/apis/apps/v1/namespaces/{NS}/statefulsets/{NAME}")
    return "2 of 2 replicas ready" if found and found["status"].get("readyReplicas") == 2 else None


FAULT = Fault(
    name="healthy-statefulset",
    summary="a StatefulSet with all its replicas ready",
    scope="pod",
    subject=f"statefulset/{NAME}",
    namespace=NS,
    accepts=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    also=(f"pod/{NAME}-0",),
)
