"""One text to facts: cut into blocks at its prompts, each block into pieces by the formats, each piece read by its own.

Formats are tried in order at each line that none has claimed; what none claims is told as not understood, never guessed at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from unstuck.collect.text import (
    backoff,
    cgroup_find,
    cni_directories,
    container_log,
    crictl,
    describe,
    describe_conditions,
    describe_namespace,
    describe_part,
    disk,
    dmesg,
    docker_info,
    docker_ps,
    drain,
    events,
    fragment,
    fragment_json,
    goroutines,
    inotify,
    inspected,
    journal_marks,
    journald,
    json_yaml,
    logs,
    loose,
    lsattr,
    lsof,
    mountinfo_grep,
    mounts,
    pod_logs,
    ps,
    ps_columns,
    ps_daemons,
    server,
    tables,
    task_ls,
    unit_file,
    unit_status,
    versions,
)
from unstuck.collect.text.containers import kept, owned, said, with_programs
from unstuck.collect.text.frame import unframed
from unstuck.collect.text.joins import joins
from unstuck.collect.text.piece import WHOLE, Block, Command, Context, Origin, Piece, Reading
from unstuck.collect.text.split import blocks_of, lines_of
from unstuck.collect.text.whole import Before, read_whole
from unstuck.facts.aspects.host import Proc
from unstuck.facts.aspects.runtime import RuntimeWord
from unstuck.facts.core import Fact, Ref, Source


@dataclass(frozen=True, slots=True)
class Format:
    """One format. find: the index after the run of lines that begins at this index, None where it is not this format's. read: that run."""

    name: str
    find: Callable[[Sequence[str], int, Command | None], int | None]
    read: Callable[[Piece], Reading]


FORMATS: tuple[Format, ...] = (
    Format("pod-logs", pod_logs.find, pod_logs.read),
    Format("container-log", container_log.find, container_log.read),
    Format("journal", journald.find, journald.read),
    Format("journal-marks", journal_marks.find, journal_marks.read),
    Format("inspect", inspected.find, inspected.read),
    Format("json-yaml", json_yaml.find, json_yaml.read),
    Format("server", server.find, server.read),
    Format("versions", versions.find, versions.read),
    Format("describe", describe.find, describe.read),
    Format("describe-namespace", describe_namespace.find, describe_namespace.read),
    Format("fragment", fragment.find, fragment.read),
    Format("fragment-json", fragment_json.find, fragment_json.read),
    Format("docker-info", docker_info.find, docker_info.read),
    Format("describe-part", describe_part.find, describe_part.read),
    Format("describe-conditions", describe_conditions.find, describe_conditions.read),
    Format("events", events.find, events.read),
    Format("table", tables.find, tables.read),
    Format("dmesg", dmesg.find, dmesg.read),
    Format("goroutines", goroutines.find, goroutines.read),
    Format("unit-status", unit_status.find, unit_status.read),
    Format("log", logs.find, logs.read),
    Format("lsattr", lsattr.find, lsattr.read),
    Format("mountinfo", mountinfo_grep.find, mountinfo_grep.read),
    Format("mount", mounts.find, mounts.read),
    Format("df", disk.find, disk.read),
    Format("lsof", lsof.find, lsof.read),
    Format("crictl", crictl.find, crictl.read),
    Format("docker-ps", docker_ps.find, docker_ps.read),
    Format("task-ls", task_ls.find, task_ls.read),
    Format("unit-file", unit_file.find, unit_file.read),
    Format("inotify", inotify.find, inotify.read),
    Format("ps-daemons", ps_daemons.find, ps_daemons.read),
    Format("ps", ps.find, ps.read),
    Format("ps-columns", ps_columns.find, ps_columns.read),
    Format("cni-directories", cni_directories.find, cni_directories.read),
    Format("cgroup-find", cgroup_find.find, cgroup_find.read),
    Format("drain", drain.find, drain.read),
    Format("message", loose.find, loose.read),
)
MOST_FACTS = 200_000
_IN_A_NAMESPACE = ("Pod", "PersistentVolumeClaim", "Service", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What came of a text.

    understood: (first line, last line, format); not_understood: (first line, last line). Lines count from 1, blank ones belong to neither.
    """

    facts: list[Fact]
    understood: list[tuple[int, int, str]]
    not_understood: list[tuple[int, int]]


def read_text(
    text: str,
    name: str,
    now: datetime,
    command: Command | None = None,
    *,
    joined: bool = True,
    origin: Origin = WHOLE,
    before: Before | None = None,
) -> ReadResult:
    """The facts of a text that a person pasted or piped in.

    name: what sources call it (`paste.txt:3`). now: when it was taken, aware; ages (`12m`) count back from it and log lines take their year
    from it. command: what printed it, where that is known from its file's name. joined: things that nobody named may be those of this text.
    origin: of its lines, where they were taken out of a longer text. before: of a bundle, what was read of it; what it says again is not
    told again.
    Never raises for any text; reads at most 64 Mi characters and 64 Ki of a line, in time linear in them.
    """
    text, origin = unframed(text, origin)
    context = Context(name, now, origin=origin)
    whole = read_whole(text, context, MOST_FACTS, before) if command is None or not command.text else None
    if whole and whole.alone:
        return ReadResult(whole.facts if before else list(dict.fromkeys(whole.facts)), whole.understood, [])
    pieces = [] if whole else _pieces_of(text, command, context)
    facts: list[Fact] = []
    containers: dict[str, Ref] = {}
    processes: dict[int, Proc] = {}
    words: list[tuple[str, RuntimeWord, Source]] = []
    understood: list[tuple[int, int, str]] = []
    missed: list[tuple[int, int]] = []
    if whole:
        facts, understood = whole.facts, whole.understood
    for form, piece in pieces:
        got = _read(form, piece)
        if got is None:
            missed.append((context.line(piece.start), context.line(piece.end)))
        else:
            understood.append((context.line(piece.start), context.line(piece.end), form))
            facts += got.facts[: max(0, MOST_FACTS - len(facts))]
            containers |= got.containers
            processes |= got.processes
            words += got.words
    facts += said(words, containers)
    if before is None:
        # Of a bundle the objects tell, wherever they stand in it.
        facts += backoff.waiting((piece for form, piece in pieces if form == "log"), facts)
    on = kept(facts, containers)
    facts = list(dict.fromkeys(with_programs(owned(container_log.with_only_container(facts), containers), processes)))
    facts += [*on, *(joins(facts, name, on) if joined else ())]
    return ReadResult(facts, understood, list(_runs(missed)))


def _pieces_of(text: str, command: Command | None, context: Context) -> list[tuple[str, Piece]]:
    """(format, piece) in order. Errors: none."""
    blocks = [Block(b.start, b.lines, b.command or command) for b in blocks_of(lines_of(text))]
    pieces = [p for b in blocks for p in _pieces(b, context)]
    namespace = _default_namespace(pieces)
    if namespace:
        pieces = [(form, replace(piece, context=replace(context, namespace=namespace))) for form, piece in pieces]
    return pieces


def _read(form: str, piece: Piece) -> Reading | None:
    known = next((f for f in FORMATS if f.name == form), None)
    if known is None:
        return None
    reading = known.read(piece)
    return reading if reading.understood else None


def _pieces(block: Block, context: Context) -> Iterator[tuple[str, Piece]]:
    """(format, piece) in order; format "" for what none claims. Blank lines belong to nothing."""
    i, lines = 0, block.lines
    while i < len(lines):
        if not lines[i].strip():
            i += 1
            continue
        form, end = _claimed(lines, i, block)
        yield form, Piece(lines[i:end], block.start + i, block.command, context)
        i = end


def _claimed(lines: Sequence[str], i: int, block: Block) -> tuple[str, int]:
    for form in FORMATS:
        end = form.find(lines, i, block.command)
        if end is not None:
            return form.name, max(end, i + 1)
    return "", i + 1


def _default_namespace(pieces: Iterable[tuple[str, Piece]]) -> str | None:
    """The Namespace of commands that name none: that of every object which such commands showed in full, if it is one."""
    shown: set[str] = set()
    for form, piece in pieces:
        command = piece.command
        if form not in ("json-yaml", "describe") or command is None or command.namespace or command.all_namespaces:
            continue
        got = _read(form, piece) or Reading()
        shown |= {f.about.within for f in got.facts if f.about.kind in _IN_A_NAMESPACE and f.about.within}
    return next(iter(shown)) if len(shown) == 1 else None


def _runs(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans that follow one another as one."""
    open_: tuple[int, int] | None = None
    for start, end in spans:
        if open_ is not None and start <= open_[1] + 1:
            open_ = (open_[0], end)
        else:
            if open_ is not None:
                yield open_
            open_ = (start, end)
    if open_ is not None:
        yield open_
