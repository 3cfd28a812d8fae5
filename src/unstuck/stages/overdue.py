"""Tells whether a deletion should be finished by now, and finds the kubelet's own attempts."""

from __future__ import annotations

from datetime import timedelta

from unstuck.diagnosis.sign import Sign, hearsay, negate, some
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import Operation

AFTER = timedelta(seconds=30)


def stays(subject: Ref, snap: Facts) -> Sign[Deletion]:
    """Tell whether the subject is not being deleted; unknown if its deletion is unknown."""
    return negate(some(snap, Deletion, subject, lambda f: [f] if f.requested else []))


def is_overdue(subject: Ref, snap: Facts, after: timedelta = AFTER) -> Sign[Deletion]:
    """Return yes if the deletion was due (grace period included) at least `after` ago; unknown if only its
    request is known.

    For a Namespace, the conditions that exist only during its deletion also show that
    (pkg/controller/namespace/deletion).
    """
    facts = snap.of(Deletion, subject)
    late = some(
        snap,
        Deletion,
        subject,
        lambda f: [f] if f.requested and f.due is not None and snap.now - f.due >= after else [],
    )
    if not late.value and facts and all(f.requested and f.due is None for f in facts):
        told = _list_old_conditions(subject, snap, after)
        return (
            Sign(True, facts, (*facts, *told))
            if told
            else Sign(None, seen=facts, wants=(Want(Deletion, subject),))
        )
    return late


def _list_old_conditions(subject: Ref, snap: Facts, after: timedelta) -> tuple[Conditions, ...]:
    if subject.kind != "Namespace":
        return ()
    return tuple(
        f
        for f in snap.of(Conditions, subject)
        if any(
            c.type.startswith("Namespace") and c.since is not None and snap.now - c.since >= after
            for c in f.items
        )
    )


def stop_timed_out(
    subject: Ref, snap: Facts, calls: tuple[Operation, ...] = ("container-stop",)
) -> Sign[Failure]:
    """Find failures in which the runtime was asked to stop its container, or to do another of `calls`, and
    did not return in time.
    """
    return hearsay(
        snap,
        Failure,
        subject,
        lambda f: [f] if f.operation in calls and f.error == "deadline-exceeded" else [],
    )
