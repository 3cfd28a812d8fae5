"""Tells whether a component of the control plane is alive, by the Lease that its leader renews every few
seconds.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from unstuck.diagnosis.sign import Sign, negate, some
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.stages.cluster_writes import have_writes_stopped

# staging/src/k8s.io/component-base/config/v1alpha1/defaults.go: held for 15 s, renewed every 2 s; since 1.20
# always a Lease. A standby takes over within seconds: after this time there is none.
_ENDED = timedelta(seconds=60)


@record()
class EndedLease(Record):
    """A Lease that has expired. since: when it was last renewed."""

    lease: Lease
    since: datetime


def find_ended_lease(lease: Ref, snap: Facts) -> Sign[EndedLease]:
    """Return yes if this Lease was not renewed for a minute, no if it is in time; else unknown."""
    late = some(
        snap,
        Lease,
        lease,
        lambda f: (
            [EndedLease(f, f.renewed)] if f.renewed is not None and snap.now - f.renewed >= _ENDED else []
        ),
    )
    if late.value is not False:
        return late
    in_time = [
        f
        for f in snap.of(Lease, lease)
        if f.renewed is not None and snap.now - f.renewed <= timedelta(seconds=f.duration)
    ]
    return late if in_time else Sign(None, seen=late.seen)


def require_other_writes(ended: Sign[EndedLease], snap: Facts) -> Sign[EndedLease]:
    """Return the same sign while anything is written at all; else an expired Lease says nothing about its
    holder, and the question stays open.
    """
    if not ended.value:
        return ended
    written = negate(have_writes_stopped(snap))
    if written.value is None:
        return Sign(None, ended.hits, ended.seen, written.wants)
    return Sign(written.value, ended.hits, (*ended.seen, *written.seen), sure=ended.sure and written.sure)
