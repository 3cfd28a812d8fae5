"""A node ends with a volume attached to it; the next Pod elsewhere waits, as nobody says that the volume is unmounted there."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _attach, _kit, _node, _plugin

NS, NAME = "f-attachment-node-ended", "had-disk"
NODE = _plugin.NODE


def apply(lab: Lab) -> None:
    _attach.make(lab, NS, NAME)
    lab.node(NODE).end()
    _kit.delete_pod(lab, NS, NAME, grace=1)
    _attach.start_next(lab, NS)


def held(lab: Lab) -> str | None:
    return _node.unknown(lab, NODE) and _attach.waits(lab, NS, "Multi-Attach error")


def heal(lab: Lab) -> None:
    _node.restore(lab, NODE)
    _attach.heal(lab, NS, NAME)


FAULT = Fault(
    name="attachment-node-ended",
    summary="a Pod waits for a volume that is attached to a node which ended",
    scope="node",
    node=NODE,
    subject=f"pod/{_attach.NEXT}",
    namespace=NS,
    accepts=("volume.attachment-stuck",),
    consequences=(),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
    settle=120,
)
