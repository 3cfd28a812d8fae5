"""Which line of stages a subject goes through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from unstuck.diagnosis.answer import Stage
from unstuck.diagnosis.sign import Sign
from unstuck.facts.aspects.objects import Deletion, Events, Failure
from unstuck.facts.core import Ref, Want
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.line import gate
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
        hints_at_end = ending is None and (any(f.operation in _ENDING for f in snap.of(Failure, ref)) or _being_killed(ref, snap))
        if ending or hints_at_end:
            return pod_deletion(ref, snap)
        starting = pod_start(ref, snap)
        return starting if ending is False else tuple(_if_not_ending(s, ref) for s in starting)
    if not ending:
        return ()
    return namespace_deletion(ref, snap) if ref.kind == "Namespace" else object_deletion(ref, snap)


def _being_killed(ref: Ref, snap: Snapshot) -> bool:
    """Whether a kubelet up to 1.12 says that the whole Pod is to be ended, again and again (pkg/kubelet/kuberuntime, killContainer)."""
    events = (e for f in snap.of(Events, ref) for e in f.items)
    return any(e.reason == "Killing" and e.count > 1 and "Need to kill Pod" in e.message for e in events)


def _if_not_ending(stage: Stage, ref: Ref) -> Stage:
    """A container that does not run says one thing of a Pod that starts and another of one that goes."""
    return replace(stage, wants=(*stage.wants, Want(Deletion, ref))) if stage.state == "not-done" else stage


def gated(subject: Ref, stages: Sequence[str], stage_line: Sequence[Stage], snap: Snapshot) -> Sign[Any]:
    """As `gate`, for a subject that may have no line: then the stages are those of its deletion, if it is being deleted.

    A Node goes through no line of its own, so that only the causes of its finalizers are gated.
    """
    if not stages or (subject.kind == "Node" and "finalizers-cleared" not in stages):
        return Sign(True)
    if stage_line:
        return gate(stages, stage_line)
    kept = tuple(f for f in snap.of(Deletion, subject) if f.whole and not f.requested)
    return Sign(False, seen=kept) if kept else Sign(None, wants=(Want(Deletion, subject),))
