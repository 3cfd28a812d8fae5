"""The kernel's kills for want of memory, divided by whose memory it was: the machine's, or that of a cgroup
which many Pods share.
"""

from __future__ import annotations

from unstuck.causes.container._ends import Run, kills_of
from unstuck.diagnosis.sign import Sign
from unstuck.facts.aspects.oom import Kill
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def find_shared_kills(pod: Ref, snap: Facts, run: Run) -> Sign[Kill]:
    """Find the kills in a run for the limit of a cgroup above the Pod."""
    return _divide(kills_of(pod, snap, run, "none"), shared=True)


def find_machine_kills(pod: Ref, snap: Facts, run: Run) -> Sign[Kill]:
    """Find the kills in a run for want of the machine's own memory."""
    return _divide(kills_of(pod, snap, run, "none"), shared=False)


def _divide(kills: Sign[Kill], *, shared: bool) -> Sign[Kill]:
    hits = tuple(k for k in kills.hits if bool(k.bound) == shared)
    if kills.hits and not hits:
        # All that was found is of the other kind.
        return Sign(False if kills.value else None, seen=kills.seen, wants=kills.wants)
    return Sign(kills.value, hits, kills.seen, kills.wants, sure=kills.sure)
