"""No csi-attacher is left to detach a volume: nothing removes the finalizer from its VolumeAttachment."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _attach

NS, NAME = "f-attachment-attacher-gone", "had-disk"


def apply(lab: Lab) -> None:
    _attach.make(lab, NS, NAME)
    _attach.scale(lab, NS, 0)
    _attach.end(lab, NS, NAME)


def observe(lab: Lab) -> str | None:
    found = _attach.find_deleting_attachment(lab, NS)
    return (
        f"finalizers {found['metadata'].get('finalizers')}, status {found.get('status')}" if found else None
    )


FAULT = Fault(
    name="attachment-attacher-gone",
    summary="a volume stays attached to a node because its driver's csi-attacher was scaled down",
    scope="pod",
    subject=f"volumeattachment/{_attach.derive_attachment_name(NS)}",
    namespace=NS,
    accepts=("finalizer.controller-gone",),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=_attach.make_heal(NS, NAME),
)
