"""A claim and its volume are deleted while the storage refuses to detach the volume: the volume waits for
its attachment.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _attach, _plugin

NS, NAME = "f-attachment-volume-deleted", "had-disk"


def apply(lab: Lab) -> None:
    _attach.make(lab, NS, NAME)
    _plugin.tell(lab, NS, "detach-fail")
    _attach.end(lab, NS, NAME)
    _attach.delete_volume(lab, NS)


def observe(lab: Lab) -> str | None:
    found = lab.get(f"/api/v1/persistentvolumes/{NS}") or {"metadata": {}}
    finalizers = found["metadata"].get("finalizers", [])
    waits = (
        "deletionTimestamp" in found["metadata"]
        and len(finalizers) == 1
        and finalizers[0].startswith("external-attacher/")
    )
    return f"finalizers {finalizers}" if waits else None


FAULT = Fault(
    name="attachment-volume-deleted",
    summary="a deleted volume stays because its storage refuses to detach it from a node",
    scope="pod",
    subject=f"pv/{NS}",
    namespace=NS,
    accepts=("volume.attachment-stuck",),
    consequences=("finalizer.controller-slow", "volume.multi-attach"),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=_attach.make_heal(NS, NAME),
)
