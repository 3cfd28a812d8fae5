"""Chooses the line of stages for a subject."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unstuck.diagnosis.answer import Stage
from unstuck.diagnosis.sign import Sign
from unstuck.facts.aspects.objects import Deletion, Event, Events, Failure, Phase
from unstuck.facts.aspects.refusals import Refusals
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import TERMINAL, is_terminal, list_statuses
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.facts.vocabulary.failures import Operation, RefusalWord
from unstuck.facts.vocabulary.kinds import CREATORS, WEBHOOKS
from unstuck.facts.vocabulary.stages import StageId
from unstuck.stages.line import gate
from unstuck.stages.namespace_deletion import trace_namespace_deletion, trace_object_deletion
from unstuck.stages.pod_deletion import trace_pod_deletion
from unstuck.stages.pod_start import trace_pod_start

_ENDING: tuple[Operation, ...] = (
    "volume-tear-down",
    "container-stop",
    "sandbox-stop",
    "network-tear-down",
    "cgroup-remove",
    "status-delete",
    "rootfs-remove",
    "netns-remove",
    "pre-stop",
)
# Errors of refused writes that remove finalizers; a storage that accepts no writes at all does not show which
# write failed.
_KEPT: tuple[RefusalWord, ...] = ("admission-denied", "webhook-unreachable", "invalid")
# Source: pkg/kubelet/kuberuntime/kuberuntime_container.go (killContainer), 1.14 on.
_STOPPING = "Stopping container "


def is_being_deleted(ref: Ref, snap: Facts) -> bool | None:
    """Tell whether the subject's deletion was requested; None if unknown."""
    facts = snap.of(Deletion, ref)
    if any(f.requested for f in facts):
        return True
    return False if any(f.whole for f in facts) else None


def list_stages(ref: Ref, snap: Facts) -> tuple[Stage, ...]:
    """Return the subject's stages; empty for a kind without start stages that is not being deleted."""
    ending = is_being_deleted(ref, snap)
    if ref.kind == "Pod":
        if ending or (ending is None and _hints_at_end(ref, snap)):
            return trace_pod_deletion(ref, snap)
        starting = trace_pod_start(ref, snap)
        return starting if ending is False else tuple(_ask_deletion(s, ref) for s in starting)
    if not ending:
        return ()
    return (
        trace_namespace_deletion(ref, snap) if ref.kind == "Namespace" else trace_object_deletion(ref, snap)
    )


def _hints_at_end(ref: Ref, snap: Facts) -> bool:
    """Tell whether messages about a Pod without a known deletion are about its end, or a finalizer's failed
    removal.
    """
    if _fails_at_end(ref, snap) or _kubelet_ends_pod(ref, snap) or stop_evidence(ref, snap):
        return True
    return any(r.error in _KEPT for f in snap.of(Refusals, ref) for r in f.items)


def _fails_at_end(ref: Ref, snap: Facts) -> bool:
    return any(f.operation in _ENDING for f in snap.of(Failure, ref))


def _kubelet_ends_pod(ref: Ref, snap: Facts) -> bool:
    """Tell whether a kubelet up to 1.12 repeatedly reports that it ends the whole Pod
    (pkg/kubelet/kuberuntime, killContainer).
    """
    events = (e for f in snap.of(Events, ref) for e in f.items)
    return any(e.reason == "Killing" and e.count > 1 and "Need to kill Pod" in e.message for e in events)


def stop_evidence(ref: Ref, snap: Facts) -> tuple[Phase | Events, ...]:
    """Return the facts that show that the kubelet ended a Pod, as it does on deletion.

    Empty if there are none, or if a failed removal shows more.

    `kubectl describe` does not show whether a Pod in such a phase is being deleted (describePod in
    k8s.io/kubectl). A sidecar is stopped once the work is done, and a Pod with its own reason (evicted, past
    its deadline) is stopped for that.
    """
    ended = tuple(f for f in snap.of(Phase, ref) if f.phase in TERMINAL and not f.reason)
    beside = {s.name for s in list_statuses(ref, snap) if s.kind != "main"}
    said = tuple(f for f in snap.of(Events, ref) if any(_is_stop(e, beside) for e in f.items))
    return (*ended, *said) if ended and said and not _fails_at_end(ref, snap) else ()


def _is_stop(event: Event, beside: set[str]) -> bool:
    container = event.message.removeprefix(_STOPPING)
    return event.reason == "Killing" and container != event.message and container.strip() not in beside


def _ask_deletion(stage: Stage, ref: Ref) -> Stage:
    """Add the question whether a Pod is being deleted to a stage that is not done: a stopped container then
    has another meaning.
    """
    return replace(stage, wants=(*stage.wants, Want(Deletion, ref))) if stage.state == "not-done" else stage


def gate_any(subject: Ref, stages: Sequence[StageId], list_stages: Sequence[Stage], snap: Facts) -> Sign[Any]:
    """Gate as `gate` does, for a subject that may have no line: then by the stages of its deletion, if it is
    being deleted.

    A Node has no line of stages, so only the causes of its finalizers are gated. A webhook is known by its
    name in a configuration object, and is never deleted; nor is a text.
    """
    if (
        not stages
        or (subject.kind == "Node" and "finalizers-cleared" not in stages)
        or subject.kind in (*WEBHOOKS, "Text")
    ):
        return Sign(True)
    if list_stages:
        starts = subject.kind == "Pod" and list_stages[0].id == "admitted"
        # A description is silent about the deletion of a Pod that has ended.
        if (
            starts
            and is_terminal(subject, snap)
            and is_being_deleted(subject, snap) is None
            and not any(s.id in stages for s in list_stages)
        ):
            return Sign(None, wants=(Want(Deletion, subject),))
        return gate(stages, list_stages)
    if "admitted" in stages and subject.kind in CREATORS:
        ending = is_being_deleted(subject, snap)
        return Sign(
            None if ending is None else True, wants=(Want(Deletion, subject),) if ending is None else ()
        )
    kept = tuple(f for f in snap.of(Deletion, subject) if f.whole and not f.requested)
    return Sign(False, seen=kept) if kept else Sign(None, wants=(Want(Deletion, subject),))
