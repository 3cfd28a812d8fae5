"""Containers that wait for their next start, if a kubelet's log is the only evidence.

Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go (doBackOff: `back-off 40s restarting failed container=C
pod=NAME_NS(UID)`, with a capital letter until 1.19; at most 5 min), which pkg/kubelet/pod_workers.go repeats
at each sync.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from unstuck.collect.text.cutting.piece import Piece
from unstuck.facts.aspects.pod import ContainerStatus, ContainerStatuses
from unstuck.facts.core import Fact, Ref
from unstuck.facts.regex import regex
from unstuck.wording.klog import KlogRecord, read_records
from unstuck.wording.names import find_pod

_LITERAL = "restarting failed container"
_WAITS = regex(r"ack-off \S{1,12} restarting failed container=(?P<container>[a-z0-9-]{1,63})\b")
# If a log continues for longer than the longest back-off without repeating it, it is over.
_REPEATED = timedelta(minutes=5)


def find_waiting_containers(pieces: Iterable[Piece], facts: Iterable[Fact]) -> list[ContainerStatuses]:
    """Return each container's last back-off in a log, unless the log went on without it, or the facts show
    its Pod's containers.
    """
    found: dict[tuple[Ref, str], ContainerStatuses] = {}
    for piece in pieces:
        if any(_LITERAL in line for line in piece.lines):
            found |= _find_in_log(piece)
    shown = (
        {n for f in facts if isinstance(f, ContainerStatuses) for n in _names_of(f.about)} if found else set()
    )
    return [f for f in found.values() if shown.isdisjoint(_names_of(f.about))]


def _find_in_log(piece: Piece) -> dict[tuple[Ref, str], ContainerStatuses]:
    lines: dict[tuple[Ref, str], int] = {}
    for index, line in enumerate(piece.lines):
        told = _WAITS.search(line) if _LITERAL in line else None
        pod = find_pod(line) if told else None
        if told and pod:
            lines[pod, told["container"]] = index
    end = _find_time(piece, len(piece.lines) - 1)
    return {
        (pod, container): _make_status(pod, container, piece, index, at)
        for (pod, container), index in lines.items()
        if (at := _find_time(piece, index)) is None or end is None or end - at <= _REPEATED
    }


def _make_status(
    pod: Ref, container: str, piece: Piece, index: int, at: datetime | None
) -> ContainerStatuses:
    src = piece.src(index, piece.lines[index].strip()[:300], at)
    # The line does not give its kind.
    return ContainerStatuses(
        about=pod,
        src=src,
        items=(ContainerStatus(container, "main", "waiting", "CrashLoopBackOff"),),
        whole=False,
    )


def _find_time(piece: Piece, index: int) -> datetime | None:
    one: KlogRecord | None = next(iter(read_records(piece.lines[index : index + 1], piece.context.now)), None)
    return one.at if one else None


def _names_of(pod: Ref) -> tuple[Ref, ...]:
    """Return the references that can identify a Pod: its name, its uid."""
    by_name, by_uid = Ref("Pod", pod.within, pod.name), Ref("Pod", uid=pod.uid)
    return tuple(ref for ref, told in ((by_name, pod.name), (by_uid, pod.uid)) if told)
