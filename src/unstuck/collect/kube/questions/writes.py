"""Checks whether the cluster's state can still be written, by the Leases that are renewed every few
seconds.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from unstuck.collect.kube.questions.objects import LEASE
from unstuck.collect.kube.transport.session import Listing, Session, make_refused
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import ref_of
from unstuck.collect.objects.node import NODE_LEASES
from unstuck.facts.aspects.stored import LastWrite
from unstuck.facts.core import Fact, Want

_SYSTEM = "kube-system"
_SOON = timedelta(seconds=60)


def last_write(session: Session, want: Want) -> list[Fact]:
    """Return the youngest Lease of kube-system (API servers from 1.26 on, leaders); of the Nodes if none
    of these is young.
    """
    found = session.listing(LEASE, _SYSTEM)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    told = _youngest(found, want)
    if told.renewed is None or found.read.at - told.renewed > _SOON:
        nodes = session.listing(LEASE, NODE_LEASES, most=1)
        if nodes.read.reply.ok:
            told = max(
                told, _youngest(nodes, want), key=lambda f: f.renewed.timestamp() if f.renewed else 0.0
            )
    return [told]


def _youngest(found: Listing, want: Want) -> LastWrite:
    times = [(at, ref) for item in found.items if (at := _read_renewal(item)) and (ref := ref_of(item))]
    renewed, lease = max(times, key=lambda t: (t[0], t[1].key), default=(None, None))
    shown = (
        f"{lease} renewed {renewed:%Y-%m-%d %H:%M:%S} UTC, no other since"
        if lease and renewed
        else "no Lease"
    )
    return LastWrite(about=want.about, src=found.read.src(shown), renewed=renewed, lease=lease)


def _read_renewal(item: doc.Doc) -> datetime | None:
    at = doc.time(item, "spec", "renewTime")
    return at.replace(microsecond=0) if at else None
