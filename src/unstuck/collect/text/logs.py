"""A node's logs: kubelet (klog text and JSON), dockerd and containerd (logfmt), from a file or through journalctl.

Each record's Pod is the one it names; a record that names none is about its Node, where the host is known. Repetitions are folded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from unstuck.collect.text.piece import Command, Piece, Reading
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.refusals import Refusal, Refusals
from unstuck.facts.core import Ref
from unstuck.wording.klog import Record, is_header, records, verbosity_told
from unstuck.wording.match import failures
from unstuck.wording.names import pod_named
from unstuck.wording.refused import refusals

_CONTINUES = ("Unmounting arguments:", "Output:", "Mounting command:", "Mounting arguments:", "(exit", "\t", "  ", ">", " >", "goroutine ")
_Known = dict[tuple[str, str | None, str], list[Failure]]

# Each try makes its own container id or payload directory: the same failure all the same.
_CHANGING = re.compile(r"[0-9a-f]{32,}|\.\.\d{4}_[\d_.]+")
_LET_GO = re.compile(r'removing tracking finalizer: (?:pods|Pod) \\?"([a-z0-9.-]{1,253})\\?" is (?:forbidden|invalid): ', re.I)
_MOST_CONTINUED = 64
_MOST_REMEMBERED = 4096


def find(lines: Sequence[str], i: int, _command: Command | None) -> int | None:
    """From a record's header to the last record and what continues it."""
    if not is_header(lines[i]):
        return None
    end, open_ = i + 1, i
    for n in range(i + 1, len(lines)):
        line = lines[n]
        if is_header(line):
            end, open_ = n + 1, n
        elif line.startswith(_CONTINUES) and n - open_ <= _MOST_CONTINUED:
            end = n + 1
        elif line.strip():
            break
    return end


def read(piece: Piece) -> Reading:
    """Folded Failures, and for each component and host which stretch of its log was seen."""
    found: dict[tuple[object, ...], Failure] = {}
    known: _Known = {}
    seen: dict[tuple[str, Ref], LogSeen] = {}
    refused: dict[tuple[object, ...], Refusals] = {}
    for record in records(piece.lines, piece.context.now):
        for told in _refused(record, piece):
            refused[told.about, told.items[0].by] = told
        node = Ref("Node", None, record.host) if record.host else piece.node
        hits = _hits(record, node, piece, known)
        for f in hits:
            key = (f.about, f.operation, f.error, _CHANGING.sub("*", f.path or ""), f.object, f.key, f.container)
            before = found.get(key)
            found[key] = f if before is None else _folded(before, f)
        if node is not None:
            component = _component(record)
            seen[component, node] = _seen(seen.get((component, node)), record, component, node, len(hits), piece)
    return Reading([*found.values(), *seen.values(), *refused.values()])


def _refused(record: Record, piece: Piece) -> Iterator[Refusals]:
    """What the job controller was refused when it was to let a Pod go; the line names the Pod without its Namespace.

    Source: removeTrackingFinalizerFromPods in pkg/controller/job/job_controller.go (1.27 on).
    """
    named = _LET_GO.search(record.message) if record.file == "job_controller.go" else None
    if named is None:
        return
    src = piece.src(record.index, record.message.strip(), record.at)
    for error, kind, by, why in refusals(record.message):
        item = Refusal(error, Ref(kind, None, by) if kind else None, None, why[:300], record.at)
        yield Refusals(about=Ref("Pod", None, named[1]), src=src, items=(item,), whole=False)


def _hits(record: Record, node: Ref | None, piece: Piece, known: _Known) -> list[Failure]:
    """known: what messages said that were read before; a log repeats itself word for word."""
    if not _may_tell(record):
        return []
    words = (record.message, record.host, record.program)
    before = known.get(words)
    if before is not None:
        src = piece.src(record.index, record.message.strip(), record.at)
        return [replace(f, src=src, first=record.at) for f in before]
    hits = list(_failures(record, node, piece))
    if len(known) < _MOST_REMEMBERED:
        known[words] = hits
    return hits


def _may_tell(record: Record) -> bool:
    """Errors and warnings; of the rest those that klog's Info severity hides (`Failed to delete cgroup paths`)."""
    return record.severity != "I" or "ail" in record.message or "err" in record.message


def _failures(record: Record, node: Ref | None, piece: Piece) -> Iterator[Failure]:
    # A Pod that its kubelet does not know is no longer there to be asked about: what is left of it is the node's.
    named = None if "rphaned pod" in record.message else pod_named(record.message)
    about = named or node or piece.block("Node")
    src = piece.src(record.index, record.message.strip(), record.at)
    yield from failures(record.message, about=about, src=src, reporter=_component(record), first=record.at)


def _component(record: Record) -> str:
    if record.program:
        return record.program
    return "kubelet" if record.file else "runtime"


def _folded(a: Failure, b: Failure) -> Failure:
    """One Failure of two: the later one's words, both counts, the earlier beginning."""
    late, early = (b, a) if _time(b) >= _time(a) else (a, b)
    firsts = [t for t in (a.first, b.first) if t]
    return replace(late, count=a.count + b.count, first=min(firsts) if firsts else early.first)


def _time(f: Failure) -> float:
    return f.src.at.timestamp() if f.src.at else 0.0


def _seen(before: LogSeen | None, record: Record, component: str, node: Ref, hits: int, piece: Piece) -> LogSeen:
    told = verbosity_told(record)
    if before is None:
        return LogSeen(
            about=node,
            src=piece.src(record.index, ""),
            component=component,
            path=piece.context.name,
            since=record.at,
            until=record.at,
            verbosity=told,
            matched=hits,
            whole=False,
        )
    return replace(
        before,
        since=min((t for t in (before.since, record.at) if t), default=None),
        until=max((t for t in (before.until, record.at) if t), default=None),
        verbosity=max((v for v in (before.verbosity, told) if v is not None), default=None),
        matched=before.matched + hits,
    )
