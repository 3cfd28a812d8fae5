"""The only Node that a Pod selects was created without a machine behind it, and never becomes Ready."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import POD_RIPE, Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-node-never-ready", "chooses-a-pool"


def apply(lab: Lab) -> None:
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_node_without_kubelet(NS, {"pool": NS}, "NodeStatusNeverUpdated"),
        _objects.make_pod(NS, NAME, nodeSelector={"pool": NS}),
    )


def heal(lab: Lab) -> None:
    _steps.delete(lab, f"/api/v1/nodes/{NS}")
    _steps.remove_namespace(lab, NS)


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedScheduling", "untolerated taint")


FAULT = Fault(
    name="node-never-ready",
    summary="the only Node that a Pod selects is not Ready: no kubelet reports for it",
    scope="cluster",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.node-not-ready-taint",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
    beside="placing",
    ripe=POD_RIPE,
)
