"""One text to facts: cut into blocks at its prompts, each block into pieces by the formats, each piece read by its own.

Formats are tried in order at each line that none has claimed; what none claims is told as not understood, never guessed at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from unstuck.collect.text import (
    container_log,
    describe,
    describe_part,
    docker_ps,
    events,
    json_yaml,
    logs,
    loose,
    lsattr,
    mountinfo_grep,
    ps,
    server,
    tables,
    task_ls,
    unit_file,
    versions,
)
from unstuck.collect.text.containers import kept, owned, said, with_programs
from unstuck.collect.text.joins import joins
from unstuck.collect.text.piece import Block, Command, Context, Piece, Reading
from unstuck.collect.text.split import blocks_of, lines_of
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
    Format("container-log", container_log.find, container_log.read),
    Format("json-yaml", json_yaml.find, json_yaml.read),
    Format("server", server.find, server.read),
    Format("versions", versions.find, versions.read),
    Format("describe", describe.find, describe.read),
    Format("describe-part", describe_part.find, describe_part.read),
    Format("events", events.find, events.read),
    Format("table", tables.find, tables.read),
    Format("log", logs.find, logs.read),
    Format("lsattr", lsattr.find, lsattr.read),
    Format("mountinfo", mountinfo_grep.find, mountinfo_grep.read),
    Format("docker-ps", docker_ps.find, docker_ps.read),
    Format("task-ls", task_ls.find, task_ls.read),
    Format("unit-file", unit_file.find, unit_file.read),
    Format("ps", ps.find, ps.read),
    Format("message", loose.find, loose.read),
)
MOST_FACTS = 200_000


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What came of a text.

    understood: (first line, last line, format); not_understood: (first line, last line). Lines count from 1, blank ones belong to neither.
    """

    facts: list[Fact]
    understood: list[tuple[int, int, str]]
    not_understood: list[tuple[int, int]]


def read_text(text: str, name: str, now: datetime) -> ReadResult:
    """The facts of a text that a person pasted or piped in.

    name: what sources call it (`paste.txt:3`). now: when it was taken, aware; ages (`12m`) count back from it and log lines take their year
    from it. Never raises for any text; reads at most 64 Mi characters and 64 Ki of a line, in time linear in them.
    """
    lines = lines_of(text)
    blocks = list(blocks_of(lines))
    context = Context(name, now)
    pieces = [p for b in blocks for p in _pieces(b, context)]
    namespace = _default_namespace(pieces)
    if namespace:
        pieces = [(form, replace(piece, context=replace(context, namespace=namespace))) for form, piece in pieces]
    facts: list[Fact] = []
    containers: dict[str, Ref] = {}
    processes: dict[int, Proc] = {}
    words: list[tuple[str, RuntimeWord, Source]] = []
    understood: list[tuple[int, int, str]] = []
    missed: list[tuple[int, int]] = []
    for form, piece in pieces:
        got = _read(form, piece)
        if got is None:
            missed.append((piece.start, piece.end))
        else:
            understood.append((piece.start, piece.end, form))
            facts += got.facts[: max(0, MOST_FACTS - len(facts))]
            containers |= got.containers
            processes |= got.processes
            words += got.words
    facts += said(words, containers)
    on = kept(facts, containers)
    facts = list(dict.fromkeys(with_programs(owned(container_log.with_only_container(facts), containers), processes)))
    facts += [*on, *joins(facts, name, on)]
    return ReadResult(facts, understood, list(_runs(missed)))


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
        shown |= {f.about.within for f in got.facts if f.about.kind == "Pod" and f.about.within}
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
