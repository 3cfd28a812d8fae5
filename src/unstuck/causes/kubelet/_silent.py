"""Shared parts of the causes of a silent kubelet: the messages in its own log, and the acts to avoid on its
Node.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.kubelet import Certificate, Certificates
from unstuck.facts.aspects.objects import Conditions, Failure
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.stages.node import is_silent

say = Messages(__name__)

# It retries every 7 to 10 s: such a recent message describes the current state, and shows that it runs.
_LATELY = timedelta(minutes=5)
# How long a lease lasts (KEP-0009). Refused for a shorter time, it may have got through since.
_LEASE = timedelta(seconds=40)
GIVE_THE_NODE_UP = DoNot(
    say("force delete Pods of this node, delete the Node object, or taint it out-of-service"),
    say(
        "the machine is on and its containers are running: a ReadWriteOnce volume or a StatefulSet would "
        "get a second writer"
    ),
)


def find_expired_client_certificates(node: Ref, snap: Facts) -> Sign[Certificate]:
    """Tell whether the kubelet has client certificates, and none of them is valid any more."""
    return some(snap, Certificates, node, lambda f: _find_expired(f, snap.now))


def _find_expired(fact: Certificates, now: datetime) -> list[Certificate]:
    mine = [c for c in fact.items if c.use == "client"]
    over = [c for c in mine if c.not_after is not None and c.not_after < now]
    return over if len(over) == len(mine) else []


def find_report_failures(node: Ref, snap: Facts, *errors: ErrorWord) -> Sign[Failure]:
    """Find the kubelet's own lines of the last minutes that its reports failed for one of these errors;
    otherwise ask for its log.

    Older messages leave the question open, and support it. So do messages before a successful report, and
    messages about a Node that the server calls Ready, unless they continue for longer than a lease lasts: the
    next report makes up for a failed one.
    """
    through = _find_last_report(node, snap)

    def is_recent(f: Failure) -> bool:
        at = f.src.at
        return (
            at is not None and timedelta(0) <= snap.now - at <= _LATELY and (through is None or at > through)
        )

    told = hearsay(
        snap, Failure, node, lambda f: [f] if f.operation == "node-report" and f.error in errors else []
    )
    said = hearsay(snap, Failure, node, lambda f: [f] if f in told.hits and is_recent(f) else [])
    if said.value and (
        is_silent(node, snap).value or not _is_ready(node, snap) or _last_as_long_as_a_lease(said.hits)
    ):
        return said
    return Sign(None, told.hits, told.seen, (Want(LogSeen, node),))


def _find_last_report(node: Ref, snap: Facts) -> datetime | None:
    """Return the time of the kubelet's last heartbeat at the server."""
    beats = [c.updated for f in snap.of(Conditions, node) for c in f.items if c.type == "Ready"]
    return max([at for at in (*beats, *(f.renewed for f in snap.of(Lease, node))) if at], default=None)


def _is_ready(node: Ref, snap: Facts) -> bool:
    return any(c.type == "Ready" and c.status == "True" for f in snap.of(Conditions, node) for c in f.items)


def _last_as_long_as_a_lease(failures: Sequence[Failure]) -> bool:
    times = [at for f in failures for at in (f.first, f.src.at) if at is not None]
    return max(times) - min(times) >= _LEASE
