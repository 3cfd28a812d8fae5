"""Finds static Pods' manifests that the kubelet rejects: such a Pod never appears on the API server."""

from __future__ import annotations

from datetime import timedelta

from unstuck.diagnosis.sign import Sign, some
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.kubelet import StaticManifests
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

# The kubelet reads its directory every 20 s, and says the same each time (fileCheckFrequency,
# pkg/kubelet/config/file.go).
_LATELY = timedelta(seconds=45)
# A file that is being written is read more than once, at once.
_APART = timedelta(seconds=10)


def find_rejected_manifests(node: Ref, snap: Facts) -> Sign[Failure]:
    """Find the kubelet's repeated messages, up to now, about files that still exist. No: its log was read and
    says none of it.
    """
    told = tuple(f for f in snap.of(Failure, node) if f.operation == "static-pod-read")
    now = tuple(f for f in told if _is_current(f, snap))
    if now:
        there = some(
            snap,
            StaticManifests,
            node,
            lambda m: [f for f in now if f.path in {f"{m.path}/{n}" for n in m.names}],
        )
        return there if there.value is not None else Sign(None, now, now, there.wants)
    if told:
        return Sign(None, told, told, (Want(LogSeen, node),))
    read = tuple(f for f in snap.of(LogSeen, node) if f.component == "kubelet" and f.whole)
    return Sign(False, seen=read) if read else Sign(None, wants=(Want(LogSeen, node),))


def _is_current(said: Failure, snap: Facts) -> bool:
    at, first = said.src.at, said.first
    return at is not None and first is not None and snap.now - at <= _LATELY and at - first >= _APART
