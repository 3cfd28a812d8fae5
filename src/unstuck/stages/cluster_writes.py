"""Tells whether anything is still written in the cluster: the meaning of an expired Lease depends on it."""

from __future__ import annotations

from datetime import datetime, timedelta

from unstuck.diagnosis.sign import Sign, some
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.stored import LastWrite
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts

# Kubelets renew every 10 s, API servers and leaders more often; a refused one retries just as soon.
_SOON = timedelta(seconds=60)


def have_leases_lapsed(snap: Facts) -> bool:
    """Tell whether Leases were seen and none of them has been renewed for a minute: that raises the
    question.
    """
    return bool(_list_renewed_leases(snap, late=True)) and not _list_renewed_leases(snap, late=False)


def have_writes_stopped(snap: Facts) -> Sign[Fact]:
    """Tell whether nothing has been written for a minute; no if any Lease was renewed in that time."""
    if young := _list_renewed_leases(snap, late=False):
        return Sign(False, seen=young[:1])
    return some(
        snap,
        LastWrite,
        Ref("Cluster"),
        lambda f: [f] if f.renewed is not None and _is_late(f.renewed, snap) else [],
    )


def _list_renewed_leases(snap: Facts, *, late: bool) -> tuple[Lease, ...]:
    """Return the Leases with a late last renewal, or those without."""
    return tuple(f for f in snap.every(Lease) if f.renewed is not None and _is_late(f.renewed, snap) == late)


def _is_late(at: datetime, snap: Facts) -> bool:
    return snap.now - at > _SOON
