"""The storage refuses to detach a volume from a node whose Pods no longer use it; the next Pod waits
elsewhere.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _attach, _plugin

NS, NAME = "f-attachment-refused", "had-disk"


def apply(lab: Lab) -> None:
    _attach.make(lab, NS, NAME)
    _plugin.tell(lab, NS, "detach-fail")
    _attach.end(lab, NS, NAME)
    _attach.start_next(lab, NS)


def observe(lab: Lab) -> str | None:
    found = _attach.find_deleting_attachment(lab, NS) or {}
    said = str(found.get("status", {}).get("detachError", {}).get("message", ""))
    return _attach.find_attach_failure(lab, NS, "FailedPrecondition") and (
        said if "operation refused" in said else None
    )


FAULT = Fault(
    name="attachment-refused",
    summary="a volume stays attached to a node because its storage refuses to detach it",
    scope="pod",
    subject=f"volumeattachment/{_attach.derive_attachment_name(NS)}",
    namespace=NS,
    accepts=("volume.attachment-stuck",),
    # Its attacher runs and keeps trying.
    consequences=("finalizer.controller-slow", "volume.multi-attach"),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=_attach.make_heal(NS, NAME),
    settle=120,
    also=(f"pod/{_attach.NEXT}",),
)
