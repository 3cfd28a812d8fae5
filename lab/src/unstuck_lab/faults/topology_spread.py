"""Pods must be spread over zones, and one of the zones has no machine behind it."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import POD_RIPE, Fault
from unstuck_lab.faults import _kit

NS, NAME, NODE = "f-topology-spread", "came-second", "lab-1"


def apply(lab: Lab) -> None:
    for node, zone in ((NODE, "f-a"), (NS, "f-b")):
        if node == NS:
            lab.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": NS}})
        lab.kubectl("label", "node", node, f"f-zone={zone}", "--overwrite")
    rule = {"maxSkew": 1, "topologyKey": "f-zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": NS}}}
    pods = [_kit.pod(NS, name, topologySpreadConstraints=[rule]) for name in ("came-first", NAME)]
    for pod in pods:
        pod["metadata"]["labels"] = {"app": NS}
    lab.apply(_kit.namespace(NS), pods[0])
    _kit.wait_running(lab, NS, "came-first")
    lab.apply(pods[1])


def heal(lab: Lab) -> None:
    lab.kubectl("label", "node", NODE, "f-zone-")
    _kit.delete(lab, f"/api/v1/nodes/{NS}")
    _kit.remove_namespace(lab, NS)


def held(lab: Lab) -> str | None:
    return _kit.event(lab, NS, NAME, "FailedScheduling", "topology spread")


FAULT = Fault(
    name="topology-spread",
    summary="the emptiest zone that Pods must be spread over has no node that is ready",
    scope="cluster",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.topology-spread-unsatisfiable",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=heal,
    beside="placing",
    ripe=POD_RIPE,
)
