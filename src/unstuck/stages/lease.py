"""Tells whether the holder of a leader election's Lease still exists to renew or release it."""

from __future__ import annotations

from datetime import datetime, timedelta

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages, format_duration
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import parse_replica_set
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)

# A living holder renews every few seconds (client-go tools/leaderelection: RetryPeriod, 2 s by default).
_SILENT = timedelta(seconds=30)
# A Lease that ran out this long ago is not being taken over.
_GONE = timedelta(minutes=5)


@record()
class KeptLease(Record):
    """A Lease that is no longer renewed and has not expired yet, so it cannot be acquired. holder: the Pod
    that took it. until: when it runs out.
    """

    holder: Ref
    until: datetime


def find_holder_pod(lease: Ref, fact: Lease) -> Ref | None:
    """Return the Pod that a Lease names as its holder; None if the name is not a Deployment's Pod name.

    client-go's programs usually write `HOSTNAME_UUID`, and a Pod's hostname is its name; outside of Pods it
    is a machine's.
    """
    pod = Ref("Pod", lease.within, fact.holder.partition("_")[0])
    return pod if parse_replica_set(pod) else None


def find_kept_lease(lease: Ref, snap: Facts) -> Sign[KeptLease]:
    """Tell whether the Pod that holds a Lease is gone, while the Lease has not expired and is not renewed."""
    fact = next((f for f in snap.of(Lease, lease) if f.holder and f.renewed), None)
    if fact is None or fact.renewed is None:
        return Sign(False, seen=snap.of(Lease, lease)) if snap.of(Lease, lease) else Sign(None)
    pod, until = find_holder_pod(lease, fact), fact.renewed + timedelta(seconds=fact.duration)
    if pod is None or until <= snap.now or snap.now - fact.renewed < _SILENT:
        return Sign(False, seen=(fact,))
    gone = some(snap, Presence, pod, lambda f: [] if f.exists else [KeptLease(pod, until)])
    return Sign(gone.value, gone.hits, (fact, *gone.seen), gone.wants, gone.sure)


def judge_lease(lease: Ref, snap: Facts) -> State | None:
    """Return the state of a Lease whose holder is gone, so it cannot be acquired; None for any other."""
    found = find_kept_lease(lease, snap)
    if found.value is None and found.wants:
        return add_headline(
            lease, "unknown", say("whether its holder is still there was not seen"), evidence=found.seen
        )
    if not found.value:
        return _judge_silence(lease, snap)
    one = found.hits[0]
    left = format_duration(one.until - snap.now)
    says = say(
        "held by {holder}, which does not exist any more, for another {left}",
        holder=f"Pod {one.holder.name}",
        left=left,
    )
    return add_headline(lease, "stuck", says, evidence=found.seen)


def _judge_silence(lease: Ref, snap: Facts) -> State | None:
    """Return that the holder has not renewed its Lease for much longer than it lasts, and nobody has taken it
    over. A holder that gives it up leaves no name.
    """
    fact = next((f for f in snap.of(Lease, lease) if f.holder and f.renewed and f.duration), None)
    if (
        fact is None
        or fact.renewed is None
        or snap.now - fact.renewed < timedelta(seconds=fact.duration) + _GONE
    ):
        return None
    says = say(
        "{holder} has not renewed it for {span} (leaseDurationSeconds {duration}), and nobody has taken it "
        "over",
        holder=fact.holder,
        span=format_duration(snap.now - fact.renewed),
        duration=fact.duration,
    )
    return add_headline(lease, "unknown", says, fact.renewed, (fact,))
