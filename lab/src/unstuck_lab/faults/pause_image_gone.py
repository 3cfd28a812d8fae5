"""The image of every Pod's sandbox is gone from a node, and its registry does not exist."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import POD_RIPE, Fault
from unstuck_lab.faults import _checks, _objects, _steps
from unstuck_lab.images import PAUSE

NS, NAME, NODE = "f-pause-image-gone", "no-sandbox", "lab-3"


def apply(lab: Lab) -> None:
    lab.get_node(NODE).check(["ctr", "-n", "k8s.io", "images", "rm", PAUSE])
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, nodeName=NODE))


def heal(lab: Lab) -> None:
    if lab.get_node(NODE).running:
        lab.get_node(NODE).restore()
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="pause-image-gone",
    summary="no Pod starts on a node because the sandbox image cannot be pulled",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("runtime.sandbox-image-unavailable",),
    with_node="likely",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _checks.find_event(
        lab, NS, NAME, "FailedCreatePodSandBox", "failed to get sandbox image"
    ),
    heal=heal,
    ripe=POD_RIPE,
)
