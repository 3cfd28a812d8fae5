"""A Pod without any scheduler's verdict: neither bound nor refused."""

from __future__ import annotations

from datetime import timedelta

from unstuck.diagnosis.sign import Sign, all_of, hearsay, some
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.aspects.pod import Demands, Life, Placement
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts

DEFAULT = "default-scheduler"
READS: frozenset[type[Fact]] = frozenset({Conditions, Placement, Life, Demands})
# A working scheduler gives its first verdict within a second; a busy one within a few more.
_AFTER = timedelta(seconds=30)


def name_scheduler(pod: Ref, snap: Facts) -> str:
    """Return the scheduler that the Pod names; the default one if unknown."""
    return next((f.scheduler for f in snap.of(Placement, pod) if f.scheduler), DEFAULT)


def asks(pod: Ref, snap: Facts) -> Sign[Placement]:
    """Return yes if the requested scheduler is known; never a no."""
    told = hearsay(snap, Placement, pod, lambda f: [f] if f.scheduler else [])
    return told if told.value else Sign(None, wants=(Want(Placement, pod),))


def is_untried(pod: Ref, snap: Facts) -> Sign[Life]:
    """Return yes if it has no Node and no condition PodScheduled half a minute after it was made.

    Gated Pods, and Pods with a missing ResourceClaim, have neither as well: the scheduler does not try these
    (PreEnqueue).
    """
    unbound = some(snap, Placement, pod, lambda f: [f] if f.node is None and not f.gates else [])
    silent = some(snap, Conditions, pod, lambda f: [] if f.get("PodScheduled") else [f])
    free = some(snap, Demands, pod, lambda f: [f] if not f.claims else [])
    old = some(snap, Life, pod, lambda f: [f] if f.created and snap.now - f.created >= _AFTER else [])
    signs: list[Sign[Life]] = [
        Sign(s.value, (), s.seen, s.wants, s.sure) for s in (unbound, silent, free, asks(pod, snap))
    ]
    return all_of([*signs, old])
