"""No fault: a DaemonSet with a Pod on each node."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _steps

NS, NAME = "f-healthy-daemonset", "agent"


def apply(lab: Lab) -> None:
    workload = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": NAME, "namespace": NS},
        "spec": _objects.make_workload_template(NS, NAME),
    }
    lab.apply(_objects.make_namespace(NS), workload)


def observe(lab: Lab) -> str | None:
    found = lab.get(f"/apis/apps/v1/namespaces/{NS}/daemonsets/{NAME}")
    ready = found["status"].get("numberReady", 0) if found else 0
    return (
        f"{ready} nodes" if ready and found and ready == found["status"]["desiredNumberScheduled"] else None
    )


FAULT = Fault(
    name="healthy-daemonset",
    summary="a DaemonSet with a ready Pod on each node",
    scope="pod",
    subject=f"daemonset/{NAME}",
    namespace=NS,
    accepts=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
