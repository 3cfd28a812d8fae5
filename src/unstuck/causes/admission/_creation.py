"""Shared parts of the causes of Pods that were never created: a workload that has fewer than it wants, and
the refusal on it.

A controller whose create is refused reports it in an Event of its object (`FailedCreate`) and tries again
within 17 min at the latest (`DefaultTypedControllerRateLimiter` in client-go: up to 1000 s); a ReplicaSet,
and its Deployment, carry it as their condition ReplicaFailure for as long as it fails, with the message of
the first refusal.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, TypeVar

from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Conditions, Deletion, Events, Failure, Presence
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.facts.vocabulary.kinds import CREATORS
from unstuck.facts.vocabulary.stages import StageId
from unstuck.stages.workload_state import list_creations_after

say = Messages(__name__)

__all__ = [
    "CREATORS",
    "READS",
    "RETRIES",
    "STAGES",
    "find_pod_refusals",
    "keep_unless_gone",
    "make_finding",
    "make_signs",
]

STAGES: tuple[StageId, ...] = ("admitted",)
READS = frozenset({Deletion, Workload, Failure, Conditions, Events})
RETRIES = say("the controller retries automatically, within 17 min at the latest")
T = TypeVar("T")
_FRESH = timedelta(minutes=20)
# A server keeps its Events for an hour (--event-ttl): Events older than this by days were recorded, and are
# read as of that moment.
_PASTED = timedelta(days=2)
# Refusals within such a time belong to one round of tries.
_TOGETHER = timedelta(minutes=2)


def lacks_pods(subject: Ref, snap: Facts) -> Sign[Workload]:
    """Tell whether it has fewer Pods (a CronJob: Jobs) than it wants, or than it wants of its newest
    template.
    """
    if ended := tuple(f for f in snap.of(Deletion, subject) if f.requested):
        return Sign(False, seen=ended)
    if subject.kind == "CronJob":
        return Sign(True)
    rolled = subject.kind in ("Deployment", "StatefulSet", "DaemonSet")
    return some(
        snap,
        Workload,
        subject,
        lambda f: (
            [f]
            if not (f.finished or f.suspended) and (f.created < f.wanted or (rolled and f.updated < f.wanted))
            else []
        ),
    )


def find_pod_refusals(subject: Ref, snap: Facts, error: ErrorWord, kind: str = "") -> Sign[Failure]:
    """Find the refusals of its Pods for this error (of an object of this kind, if given), by the last message
    about it.

    No if the current message names another error, or if its controller reports no refusal at all.
    """
    said = [f for f in snap.of(Failure, subject) if f.operation == "pod-create" and f.error != "other"]
    by_event = [f for f in said if not _is_of_condition(f)]
    moment = _moment_of(subject, by_event, snap)
    fresh = [f for f in by_event if f.src.at is not None and not _FRESH < moment - f.src.at < _PASTED]
    latest = max((f.src.at for f in fresh if f.src.at), default=None)
    # If no event has a time, as in pasted text, all of them count as current.
    last = [f for f in fresh if latest and f.src.at and latest - f.src.at <= _TOGETHER] or [
        f for f in by_event if f.src.at is None
    ]
    now = last or [f for f in said if _is_of_condition(f)]
    of_this = [
        f for f in said if f.error == error and (not kind or (f.object is not None and f.object.kind == kind))
    ]
    hits = [f for f in of_this if f in now]
    if hits and (made := _list_creations_since(subject, hits, snap)):
        # The next Pod of a StatefulSet may be refused still.
        return Sign(None if subject.kind == "StatefulSet" else False, seen=(*hits, *made))
    if hits:
        return Sign(True, unique(hits), unique(hits), sure=any(snap.sure(f) for f in hits))
    if now:
        return (
            Sign(False, seen=tuple(now)) if last else Sign(None, seen=tuple(now), wants=_list_events(subject))
        )
    failing = some(
        snap,
        Conditions,
        subject,
        lambda f: [c for c in f.items if c.type == "ReplicaFailure" and c.status == "True"],
    )
    if subject.kind in ("Deployment", "ReplicaSet") and failing.value is False:
        return Sign(False, seen=failing.seen)
    if of_this:
        # From the past: it may still be this error.
        return Sign(None, unique(of_this), unique(of_this), _list_events(subject))
    if subject.kind == "Deployment":
        return Sign(None, seen=failing.seen, wants=failing.wants)
    told = some(snap, Events, subject, lambda f: [e for e in f.items if e.reason == "FailedCreate"])
    # Refused with an unknown message: it may be this error.
    return (
        Sign(None, seen=told.seen)
        if told.value or failing.value
        else Sign(told.value, seen=told.seen, wants=told.wants)
    )


def _moment_of(subject: Ref, told: list[Failure], snap: Facts) -> datetime:
    """Return the reference time for these: for a creator known only from Events, the newest failure of the
    text.
    """
    if not told or snap.of(Workload, subject) or any(f.src.where.startswith("/") for f in told):
        return snap.now
    times = [f.src.at for f in snap.every(Failure) if f.src.at is not None]
    return max((at for at in times if at <= snap.now), default=snap.now)


def _list_creations_since(subject: Ref, refusals: list[Failure], snap: Facts) -> tuple[Events, ...]:
    """Find events by which its controller created a Pod after the last refusal: within one round of tries
    a refusal is the end.
    """
    last = [f.src.at for f in refusals if f.src.at is not None and not _is_of_condition(f)]
    if len(last) < len(refusals):
        return ()
    return list_creations_after(max(last), subject, snap)


def _is_of_condition(failure: Failure) -> bool:
    return failure.reporter.startswith("condition ")


def _list_events(subject: Ref) -> tuple[Want, ...]:
    """Return the Events to ask for: for a Deployment, those of its ReplicaSet."""
    return () if subject.kind == "Deployment" else (Want(Events, subject),)


def make_signs(
    subject: Ref, snap: Facts, said: Sign[Failure], decisive: Mapping[str, Sign[Any]], found: Any
) -> Signs:
    """Return the signs of a cause of this sort: it lacks Pods, its controller was refused for this, and would
    still be refused. found: its finding.
    """
    return Signs(
        applies=lacks_pods(subject, snap),
        necessary={"the controller was refused for it": said},
        decisive=decisive,
        supporting={"the controller was refused for it": said},
        finding=found,
    )


def keep_unless_gone(sign: Sign[T], ref: Ref, snap: Facts) -> Sign[T]:
    """Return the same sign of an object, but no if it no longer exists."""
    there = some(snap, Presence, ref, lambda f: [f] if f.exists else [])
    if there.value is False:
        return Sign(False, seen=there.seen)
    return sign if sign.value is not None else sign._replace(wants=unique((*sign.wants, *there.wants)))


def make_finding(
    subject: Ref,
    snap: Facts,
    says: Text,
    culprit: Ref,
    *,
    notes: tuple[Text, ...] = (),
    help: tuple[Step, ...],
    do_not: tuple[DoNot, ...] = (),
) -> Finding:
    """Return the finding with how many of its Pods were never created."""
    return Finding(says, culprit, (subject,), (*_note_never(subject, snap), *notes), help, do_not)


def _note_never(subject: Ref, snap: Facts) -> tuple[Text, ...]:
    workload = snap.one(Workload, subject)
    if workload is None:
        return ()
    missing = workload.wanted - workload.created
    if missing <= 0:
        return (say("none of its new Pods was created; the old ones are still running"),)
    return (say("{missing} of {wanted} Pods were never created", missing=missing, wanted=workload.wanted),)
