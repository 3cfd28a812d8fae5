"""Tables of Events, with their header or without: below `describe`, from `kubectl get events`, or a few rows cut out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from unstuck.collect.objects.kinds import typed
from unstuck.collect.objects.scheduling import unschedulable
from unstuck.collect.text.event_rows import HEADERS, RULE, Row, is_row, row_of
from unstuck.collect.text.piece import Command, Piece, Reading
from unstuck.facts.aspects.objects import Event, Events, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.regex import regex
from unstuck.wording.match import failures
from unstuck.wording.names import pod_named

_SPEAKING = ("BackOff", "Killing")
_CONTAINER = regex(r"^  ([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?):\s*$")
_OF_CONTAINER = ("container-", "probe-", "pre-stop", "post-start")
# These write about their own kind alone (the `Component` of their recorders in pkg/controller).
_WRITTEN_ABOUT = {
    "daemonset-controller": "DaemonSet",
    "statefulset-controller": "StatefulSet",
    "deployment-controller": "Deployment",
    "replicaset-controller": "ReplicaSet",
    "job-controller": "Job",
    "cronjob-controller": "CronJob",
    "persistentvolume-controller": "PersistentVolumeClaim",
}
_CONTINUES = ("Unmounting arguments:", "Output:", "Mounting command:", "Mounting arguments:", "(exit", "Warning:")


def find(lines: Sequence[str], i: int, _command: Command | None) -> int | None:
    """From `Events:`, a header or a row to the last row and what continues it."""
    if not (_opens(lines[i]) or is_row(lines[i])):
        return None
    return end_of_rows(lines, i)


def end_of_rows(lines: Sequence[str], i: int) -> int:
    """The index after the last row at or below i, its continued message included."""
    end, open_ = i + 1, 0
    for n in range(i, len(lines)):
        line = lines[n]
        if _opens(line) or RULE.match(line) or is_row(line):
            end, open_ = n + 1, _opened(line)
        elif not (_continues(line) or open_ > 0) or n > end + 8:
            break
        elif line.strip():
            end, open_ = n + 1, open_ + _opened(line)
    return end


def _opened(line: str) -> int:
    """Brackets that a line opens and does not close: `… output:(mke2fs 1.47.0` goes on in the next one."""
    return line.count("(") - line.count(")")


def _placed(about: Ref, events: Sequence[Event], src: Source) -> Iterator[Placement]:
    """The Node whose kubelet reports of a Pod, where it is one only (`From` reads `kubelet, NODE`)."""
    nodes = {name for e in events for who, _, name in [e.reporter.partition(",")] if who == "kubelet" and name.strip()}
    if about.kind == "Pod" and len(nodes) == 1:
        yield Placement(about=about, src=src, node=Ref("Node", None, nodes.pop().strip()), whole=False)


def _opens(line: str) -> bool:
    return line.strip() in ("Events:", "Events:  <none>") or any(h.match(line) for h in HEADERS)


def _continues(line: str) -> bool:
    """A message may hold line breaks (`Unmounting arguments: …`, `Output: …`, `(exit status 1)`); a blank line may lie between rows."""
    text = line.strip()
    return not text or line.startswith((" ", "\t")) or text.startswith(_CONTINUES)


def read(piece: Piece) -> Reading:
    """Events and Failures about the objects that the rows name, else the one described, or about the Pod that nobody named."""
    return Reading(list(facts_of_rows(piece, 0, len(piece.lines), _described(piece))))


def _described(piece: Piece) -> Ref | None:
    """The one object that the command above describes (`kubectl describe pod web-0`, `… pod/web-0`)."""
    words = piece.command.arguments if piece.command and piece.command.program == "kubectl" else ()
    if words[:1] != ("describe",):
        return None
    named = words[1].partition("/")[::2] if len(words) == 2 and "/" in words[1] else words[1:]
    own = typed(named[0]) if len(named) == 2 else None
    return Ref(own.ref_kind, piece.namespace if own.namespaced else None, named[1]) if own else None


def facts_of_rows(piece: Piece, start: int, end: int, about: Ref | None) -> Iterator[Fact]:
    """Facts of the rows in lines [start, end) of a piece.

    about: whom rows that name no object are about; without it the Pod that the message names, else one that nobody named.
    """
    said = list(_rows(piece, start, end))
    alone = _alone(piece.lines[:start]) if about and about.kind == "Pod" else None
    by: dict[Ref, list[_Said]] = {}
    for one in said:
        anonymous = piece.block(_WRITTEN_ABOUT.get(one.row.event.reporter.partition(",")[0].strip(), "Pod"))
        by.setdefault(one.row.about or about or pod_named(one.row.event.message) or anonymous, []).append(one)
    for ref, rows in by.items():
        newest = max(rows, key=lambda s: (s.row.event.last is not None, s.row.event.last or piece.context.now))
        src = piece.src(newest.index, f"{newest.row.event.reason}: {newest.row.event.message}", newest.row.event.last)
        yield Events(about=ref, src=src, items=tuple(s.row.event for s in rows), whole=False)
        yield from _placed(ref, [s.row.event for s in rows], src)
        for one in rows:
            src = piece.src(one.index, _quote(one.row.event), one.row.event.last)
            for fact in failures_of(one.row, ref, src):
                its = alone and ref == about and isinstance(fact, Failure) and fact.operation.startswith(_OF_CONTAINER)
                yield replace(fact, container=alone) if its and isinstance(fact, Failure) and not fact.container else fact


def _alone(lines: Sequence[str]) -> str | None:
    """The one container of a Pod that is described above its events, whose rows name none; None where it has others, or may have."""
    if any(line.startswith(("Init Containers:", "Ephemeral Containers:")) for line in lines):
        return None
    start = next((n for n, line in enumerate(lines) if line.rstrip() == "Containers:"), None)
    end = next((n for n, line in enumerate(lines) if start is not None and n > start and line[:1].strip()), None)
    names = [found[1] for line in lines[start:end] if (found := _CONTAINER.match(line))] if end is not None else []
    return names[0] if len(names) == 1 else None


@dataclass(frozen=True, slots=True)
class _Said:
    row: Row
    index: int


def _rows(piece: Piece, start: int, end: int) -> Iterator[_Said]:
    """Rows with the lines that continue their messages."""
    open_: _Said | None = None
    for n in range(start, end):
        line = piece.lines[n]
        row = row_of(line, piece.context.now, piece.namespace)
        if row is not None:
            if open_:
                yield open_
            open_ = _Said(row, n)
        elif open_ and line.strip() and not _opens(line) and not RULE.match(line) and len(open_.row.event.message) < 16384:
            event = replace(open_.row.event, message=f"{open_.row.event.message}\n{line.strip()}")
            open_ = _Said(replace(open_.row, event=event), open_.index)
    if open_:
        yield open_


def failures_of(row: Row, about: Ref, src: Source) -> Iterator[Fact]:
    """What one event says failed; the scheduler's sentence taken apart."""
    e = row.event
    if e.reason == "FailedScheduling":
        found = unschedulable(e.message, about=about, src=src, whole=False)
        if found:
            yield found
    if e.warning or e.reason in _SPEAKING:
        for f in failures(e.message, about=about, src=src, reporter=e.reporter or "event", count=e.count, first=e.first, reason=e.reason):
            yield replace(f, container=row.container) if row.container and not f.container else f


def _quote(event: Event) -> str:
    times = f" ×{event.count}" if event.count > 1 else ""
    return f"{event.reason}{times}: {event.message}"
