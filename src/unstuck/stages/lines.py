"""Which line of stages a subject goes through."""

from __future__ import annotations

from unstuck.diagnosis.answer import Stage
from unstuck.facts.aspects.objects import Deletion, Failure
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.namespace_deletion import namespace_deletion, object_deletion
from unstuck.stages.pod_deletion import pod_deletion
from unstuck.stages.pod_start import pod_start

_ENDING = ("volume-tear-down", "container-stop", "sandbox-stop", "cgroup-remove", "status-delete", "rootfs-remove", "pre-stop")


def deleting(ref: Ref, snap: Snapshot) -> bool | None:
    """Whether the subject's deletion was requested; None where nobody told."""
    facts = snap.of(Deletion, ref)
    if any(f.requested for f in facts):
        return True
    return False if any(f.whole for f in facts) else None


def stage_line(ref: Ref, snap: Snapshot) -> tuple[Stage, ...]:
    """The subject's line; empty for a kind without one that is not being deleted."""
    ending = deleting(ref, snap)
    if ref.kind == "Pod":
        hints_at_end = ending is None and any(f.operation in _ENDING for f in snap.of(Failure, ref))
        return pod_deletion(ref, snap) if ending or hints_at_end else pod_start(ref, snap)
    if not ending:
        return ()
    return namespace_deletion(ref, snap) if ref.kind == "Namespace" else object_deletion(ref, snap)
