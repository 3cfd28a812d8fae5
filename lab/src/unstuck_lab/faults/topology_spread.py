"""Pods must be spread over zones, and one of the zones has no machine behind it."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import POD_RIPE, Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME, NODE = "f-topology-spread", "came-second", "lab-1"
# The Node of the emptiest zone, then all others.
_OWN = ("untolerated taint", "topology spread constraints")


def apply(lab: Lab) -> None:
    lab.run_kubectl("label", "node", NODE, "f-zone=f-a", "--overwrite")
    lab.apply(
        _objects.make_node_without_kubelet(
            NS, {"f-zone": "f-b"}, "NodeStatusUnknown", cpu="1", memory="1Gi", pods="110"
        )
    )
    rule = {
        "maxSkew": 1,
        "topologyKey": "f-zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": NS}},
    }
    pods = [_objects.make_pod(NS, name, topologySpreadConstraints=[rule]) for name in ("came-first", NAME)]
    for pod in pods:
        pod["metadata"]["labels"] = {"app": NS}
    lab.apply(_objects.make_namespace(NS), pods[0])
    _steps.wait_running(lab, NS, "came-first")
    lab.apply(pods[1])


def heal(lab: Lab) -> None:
    lab.run_kubectl("label", "node", NODE, "f-zone-")
    _steps.delete(lab, f"/api/v1/nodes/{NS}")
    _steps.remove_namespace(lab, NS)


def observe(lab: Lab) -> str | None:
    """Return the scheduler's message if it reports only this reason: a full or otherwise unschedulable Node
    would be another fault.
    """
    message = _checks.find_condition(lab.get_pod(NS, NAME), "PodScheduled", "False") or ""
    reasons = message.partition("available: ")[2].partition(". ")[0].split(", ")
    own = [next((word for word in _OWN if word in reason), "") for reason in reasons]
    return message if {*own} == {*_OWN} else None


FAULT = Fault(
    name="topology-spread",
    summary="the emptiest zone of a topology spread has no ready node",
    scope="cluster",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.topology-spread-unsatisfiable",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
    beside="placing",
    ripe=POD_RIPE,
)
