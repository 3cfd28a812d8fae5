"""A single line that no format claimed, but in which a known message stands: a status' message, an error copied out of a screen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from unstuck.collect.objects.scheduling import unschedulable
from unstuck.collect.text.piece import Command, Piece, Reading
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.core import Ref, Source
from unstuck.wording.match import failures
from unstuck.wording.names import pod_named

_OF_THE_NODE = frozenset(
    {"rootfs-remove", "snapshot-remove", "container-remove", "netns-remove", "runtime-ready", "node-ready", "log-write"}
)
_SCHEDULER = re.compile(r"^\s*(?:\d{1,6}/\d{1,6} nodes are available: |No nodes are available that match all of the )")
_NOBODY = Ref("Pod", block="-")
_NOWHERE = Source("")


def find(lines: Sequence[str], i: int, _command: Command | None) -> int | None:
    """One line with a message that is known."""
    line = lines[i]
    if len(line) < 12 or not (failures(line, about=_NOBODY, src=_NOWHERE) or _unschedulable(line, _NOBODY, _NOWHERE)):
        return None
    return i + 1


def read(piece: Piece) -> Reading:
    """The Failures of the line, about the Pod that it names or one that nobody named; what a runtime does by itself, about its Node."""
    line = "\n".join(piece.lines)
    if told := _unschedulable(line, pod_named(line) or piece.block("Pod"), piece.src(0)):
        return Reading([told])
    found = failures(line, about=pod_named(line) or piece.block("Pod"), src=piece.src(0), reporter="paste")
    node = piece.node or piece.block("Node")
    return Reading([replace(f, about=node) if f.operation in _OF_THE_NODE and f.about.block else f for f in found])


def _unschedulable(line: str, about: Ref, src: Source) -> Unschedulable | None:
    """The scheduler's sentence by itself, as a condition or an Event has it."""
    return unschedulable(line.strip(), about=about, src=src, whole=False) if _SCHEDULER.match(line) else None
