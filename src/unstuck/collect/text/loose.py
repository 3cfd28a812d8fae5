"""A single line that no format claimed, but in which a known message stands: a status' message, an error copied out of a screen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from unstuck.collect.objects.scheduling import unschedulable
from unstuck.collect.text.piece import Command, Piece, Reading
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex
from unstuck.wording.match import failures
from unstuck.wording.names import pod_named

# Whatever Pod such a message names: it is the machine that lacks something.
OF_THE_MACHINE = frozenset({"kubelet-start", "module-load", "certificate-check", "pod-address-range", "disk-measure", "watch", "file-open"})
OF_THE_NODE = OF_THE_MACHINE | {
    "rootfs-remove",
    "snapshot-remove",
    "container-remove",
    "netns-remove",
    "runtime-ready",
    "node-ready",
    "log-write",
}
_SCHEDULER = regex(r"^\s*(?:\d{1,6}/\d{1,6} nodes are available: |No nodes are available that match all of the )")
# A runtime's message is long, and is often pasted as a narrow screen or a YAML block broke it.
_BROKEN = regex(r"failed to create containerd task|OCI runtime create failed|Failed to create pod sandbox", re.IGNORECASE)
_MOST_BROKEN = 8
_NOBODY = Ref("Pod", block="-")
_NOWHERE = Source("")


def find(lines: Sequence[str], i: int, _command: Command | None) -> int | None:
    """One line with a message that is known, or a runtime's message that goes on in the lines below it."""
    line = lines[i]
    if len(line) < 12:
        return None
    if failures(line, about=_NOBODY, src=_NOWHERE) or _unschedulable(line, _NOBODY, _NOWHERE):
        return i + 1
    if _BROKEN.search(line):
        for end in range(i + 2, min(i + _MOST_BROKEN, len(lines)) + 1):
            if not lines[end - 1].strip():
                break
            if failures("\n".join(lines[i:end]), about=_NOBODY, src=_NOWHERE):
                return end
    return None


def read(piece: Piece) -> Reading:
    """The Failures of the line, about the Pod that it names or one that nobody named; what a runtime does by itself, about its Node."""
    line = "\n".join(piece.lines)
    if told := _unschedulable(line, pod_named(line) or piece.block("Pod"), piece.src(0)):
        return Reading([told])
    found = failures(line, about=pod_named(line) or piece.block("Pod"), src=piece.src(0), reporter="paste")
    node = piece.node or piece.block("Node")
    return Reading([replace(f, about=node) if f.operation in OF_THE_NODE and f.about.block else f for f in found])


def _unschedulable(line: str, about: Ref, src: Source) -> Unschedulable | None:
    """The scheduler's sentence by itself, as a condition or an Event has it."""
    return unschedulable(line.strip(), about=about, src=src, whole=False) if _SCHEDULER.match(line) else None
