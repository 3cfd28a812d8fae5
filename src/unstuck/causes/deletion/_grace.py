"""The grace period of a Pod's deletion, from the object itself."""

from __future__ import annotations

from datetime import datetime

from unstuck.diagnosis.sign import Sign, some
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts


def is_within_grace(pod: Ref, snap: Facts) -> Sign[Deletion]:
    """Tell whether the deletion was requested and its time, which includes the grace period, lies ahead."""
    facts = snap.of(Deletion, pod)
    if facts and all(f.requested and f.due is None for f in facts):
        return Sign(None, seen=facts, wants=(Want(Deletion, pod),))
    return some(
        snap, Deletion, pod, lambda f: [f] if f.requested and f.due is not None and snap.now < f.due else []
    )


def find_due_time(deletion: Deletion) -> datetime:
    """Return the end of the grace period of a hit of `is_within_grace`, in UTC."""
    assert deletion.due is not None  # noqa: S101 - without it there is no such hit
    return deletion.due


def make_period_ref(pod: Ref) -> Ref:
    """Return the Pod's grace period as a thing that may be used up."""
    return Ref("GracePeriod", pod.within, pod.name, pod.uid)


def format_clock(at: datetime) -> str:
    """Return `00:09:30 UTC`."""
    return f"{at:%H:%M:%S} UTC"
