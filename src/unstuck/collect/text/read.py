"""One text to facts: cut into blocks at its prompts, each block into pieces by the formats, each piece read
by its own.

Formats are tried in order at each line that none has claimed; lines that none claims are reported as not
understood, never guessed at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from unstuck.collect.text.bare_output import find_bare_output
from unstuck.collect.text.beside import find_beside
from unstuck.collect.text.cutting.broken_lines import rejoin
from unstuck.collect.text.cutting.frame import unframe
from unstuck.collect.text.cutting.markup import undo_markup
from unstuck.collect.text.cutting.piece import (
    WHOLE,
    Gone,
    Origin,
    Piece,
    Reading,
    TextBlock,
    TextContext,
    TypedCommand,
)
from unstuck.collect.text.cutting.split import blocks_of, split_lines
from unstuck.collect.text.formats import BY_NAME, FORMATS, OF_PROGRAMS, PARSED, find_end_before_another
from unstuck.collect.text.held_together import hold_together
from unstuck.collect.text.last_rows import keep_last_phases
from unstuck.collect.text.logs import backoff, container_log
from unstuck.collect.text.logs.last_words import find_last_lines
from unstuck.collect.text.logs.owners import attribute_to_shown_pods, find_workload_logs
from unstuck.collect.text.objects.stream import EarlierObjects, read_whole
from unstuck.collect.text.pasted import find_pasted
from unstuck.collect.text.references.containers import (
    attribute_failures,
    combine_runtime_words,
    find_container_placements,
    name_programs,
)
from unstuck.collect.text.references.coreference import find_joins
from unstuck.collect.text.stray_messages import read_stray_messages
from unstuck.collect.text.told_errors import find_log_complaints, find_output_complaints, find_told_errors
from unstuck.collect.text.uncreated import leave_out_uncreated
from unstuck.facts.aspects.host import Proc
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.runtime import RuntimeWord
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.derive.passed import drop_passed
from unstuck.facts.regex import regex

# A key of an object: lines that do not parse because of it are not a separate text below an object.
_OF_AN_OBJECT = regex(r"^\s*(?:- )?[a-z]\w{0,60}:(?:\s|$)")
MOST_FACTS = 200_000
_IN_A_NAMESPACE = (
    "Pod",
    "PersistentVolumeClaim",
    "Service",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
)


@dataclass(frozen=True, slots=True)
class ReadResult:
    """The result of reading a text.

    understood: (first line, last line, format); not_understood: (first line, last line). Lines count from 1,
    blank ones belong to neither.
    """

    facts: list[Fact]
    understood: list[tuple[int, int, str]]
    not_understood: list[tuple[int, int]]


# In a longer text no single line stands for the rest. Both limits are far below the sizes that `large_logs`
# thins: such a text is read completely.
_SHORT, _SHORT_LINES = 64 << 10, 200


def read_text(
    text: str,
    name: str,
    now: datetime,
    command: TypedCommand | None = None,
    *,
    joined: bool = True,
    origin: Origin = WHOLE,
    before: EarlierObjects | None = None,
) -> ReadResult:
    """Return the facts of a text that a person pasted or piped in.

    name: its name in sources (`paste.txt:3`). now: when it was taken, aware; ages (`12m`) count back from it
    and log lines take their year from it. command: the program that printed it, if the file's name shows it.
    joined: unnamed things may refer to named ones of this text. origin: the lines' original places, if they
    were taken out of a longer text. before: the objects already read from the same bundle; repeated facts are
    not given again. Never raises; reads at most 64 Mi characters and 64 Ki of a line, in linear time.
    """
    short = not origin.numbers and len(text) <= _SHORT and text.count("\n") <= _SHORT_LINES
    if short:
        text = undo_markup(text)
    text, origin = unframe(text, origin)
    context = TextContext(name, now, origin=origin, short=short)
    whole = read_whole(text, context, MOST_FACTS, before) if command is None or not command.text else None
    if whole and whole.alone:
        return ReadResult(whole.facts if before else list(dict.fromkeys(whole.facts)), whole.understood, [])
    pieces: list[tuple[str, Piece]] = []
    if not whole:
        lines = split_lines(text)
        if short:
            lines, origin = rejoin(lines, origin)
            context = replace(context, origin=origin)
        pieces = _split_text(lines, command, context)
    facts: list[Fact] = []
    containers: dict[str, Ref] = {}
    processes: dict[int, Proc] = {}
    words: list[tuple[str, RuntimeWord, Source]] = []
    gone: list[Gone] = []
    understood: list[tuple[int, int, str]] = []
    missed: list[tuple[int, int]] = []
    if whole:
        facts, understood = whole.facts, whole.understood
    logs: list[Piece] = []
    read_as: list[tuple[str, Piece]] = []
    for form, piece, got in (one for claimed in pieces for one in _read_with_fallback(*claimed)):
        read_as.append((form, piece))
        if form == "log":
            logs.append(piece)
        if got is None:
            missed.append((context.line(piece.start), context.last(piece.end)))
        else:
            understood.append((context.line(piece.start), context.last(piece.end), form))
            facts += got.facts[: max(0, MOST_FACTS - len(facts))]
            if context.short and form not in OF_PROGRAMS:
                facts += read_stray_messages(piece, got.facts)
            containers |= got.containers
            processes |= got.processes
            words += got.words
            gone += got.gone
    facts += combine_runtime_words(words, containers, gone)
    # In a bundle the objects decide, anywhere in it; logs of runs that were overcome lie there as
    # well.
    facts = (
        [*facts, *backoff.find_waiting_containers(logs, facts)]
        if before is None
        else [f for f in facts if not _is_nameless_end(f)]
    )
    on = find_container_placements(facts, containers)
    facts = list(
        dict.fromkeys(
            name_programs(
                attribute_failures(
                    container_log.attribute_to_only_container(attribute_to_shown_pods(facts)), containers
                ),
                processes,
            )
        )
    )
    facts += [*on, *(find_joins(facts, name, on) if joined else ())]
    kept = keep_last_phases(drop_passed(facts)) if before is None else facts
    facts = _add_told_errors(name, read_as, kept, _list_passed(facts, kept)) if short and joined else kept
    if facts and short and joined and (besides := find_pasted(name, read_as)):
        facts.append(besides)
    return ReadResult(facts, understood, list(_merge_spans(missed)))


def _add_told_errors(
    name: str, read_as: list[tuple[str, Piece]], facts: list[Fact], passed: frozenset[str]
) -> list[Fact]:
    """Return the facts, with the mismatches between objects, with a program's last words attributed to its
    Pod if the text names one, and with the other reports of the text. passed: places that are not reported.
    """
    facts = leave_out_uncreated(facts)
    facts = [
        *facts,
        *hold_together(read_as, facts),
        *find_last_lines(facts),
        *find_workload_logs(read_as, facts),
    ]
    told = (
        find_told_errors(name, read_as, facts, passed)
        or find_log_complaints(name, facts)
        or find_output_complaints(name, read_as, facts)
        or find_bare_output(name, read_as, facts)
    )
    # The error of a nameless program says more than its end.
    facts = (
        [*(f for f in facts if not (_is_nameless_end(f) and f.src.where == told.src.where)), told]
        if told
        else facts
    )
    return [*facts, *find_beside(name, read_as, facts)]


def _list_passed(read: list[Fact], kept: list[Fact]) -> frozenset[str]:
    """Return the places of failed steps that have succeeded since: no error in other words either."""
    return frozenset(f.src.where for f in read if isinstance(f, Failure)) - {f.src.where for f in kept}


def _is_nameless_end(fact: Fact) -> bool:
    """Tell whether a fact is the end of a program whose Pod is not named anywhere."""
    return isinstance(fact, Failure) and fact.operation == "program-run" and fact.about.block is not None


def _split_text(
    lines: list[str], command: TypedCommand | None, context: TextContext
) -> list[tuple[str, Piece]]:
    """Return (format, piece) in order. Errors: none."""
    blocks = [TextBlock(b.start, b.lines, b.command or command) for b in blocks_of(lines)]
    pieces = [p for b in blocks for p in _split_block(b, context)]
    namespace = _find_default_namespace(pieces)
    if namespace:
        pieces = [
            (form, replace(piece, context=replace(context, namespace=namespace))) for form, piece in pieces
        ]
    return pieces


def _read(form: str, piece: Piece) -> Reading | None:
    if form not in BY_NAME:
        return None
    reading = BY_NAME[form].read(piece)
    return reading if reading.understood else None


def _split_block(
    block: TextBlock, context: TextContext, without: Collection[str] = ()
) -> Iterator[tuple[str, Piece]]:
    """Yield (format, piece) in order; format "" for unclaimed text. Blank lines belong to nothing.

    without: names of formats that are not asked.
    """
    i, lines = 0, block.lines
    written = max((n for n, line in enumerate(lines, 1) if line.strip()), default=0)
    while i < len(lines):
        if not lines[i].strip():
            i += 1
            continue
        form, end = _find_format(lines, i, block, without)
        if form and context.short:
            end = find_end_before_another(BY_NAME[form], lines, i, end, block.command)
        yield form, Piece(lines[i:end], block.start + i, block.command, context, closes=end >= written)
        i = end


def _read_with_fallback(
    form: str, piece: Piece, without: frozenset[str] = frozenset()
) -> Iterator[tuple[str, Piece, Reading | None]]:
    """Yield a piece with its reading; where the format that claimed it understands nothing, the readings
    of the other formats.
    """
    got = _read(form, piece)
    if not form or not piece.context.short or got is not None:
        yield form, piece, got
        return
    if form in PARSED and (parsed := _read_parsable_part(form, piece)):
        fit, got = parsed
        yield form, fit, got
        piece = replace(piece, lines=piece.lines[len(fit.lines) :], start=piece.start + len(fit.lines))
    without |= {form}
    for part in _split_block(TextBlock(piece.start, piece.lines, piece.command), piece.context, without):
        yield from _read_with_fallback(*part, without)


def _read_parsable_part(form: str, piece: Piece) -> tuple[Piece, Reading] | None:
    """Return the longest parsable beginning of a piece, and its reading; None if there is none.

    A text pasted below an object looks like more of it.
    """
    best: tuple[Piece, Reading] | None = None
    fit, unfit = 0, len(piece.lines)
    while unfit - fit > 1:
        middle = (fit + unfit) // 2
        part = replace(piece, lines=piece.lines[:middle])
        if (got := _read(form, part)) is None:
            unfit = middle
        else:
            fit, best = middle, (part, got)
    return best if best and not _OF_AN_OBJECT.match(piece.lines[fit]) else None


def _find_format(lines: Sequence[str], i: int, block: TextBlock, without: Collection[str]) -> tuple[str, int]:
    for form in FORMATS:
        if form.name in without:
            continue
        end = form.find(lines, i, block.command)
        if end is not None:
            return form.name, max(end, i + 1)
    return "", i + 1


def _find_default_namespace(pieces: Iterable[tuple[str, Piece]]) -> str | None:
    """Return the Namespace of commands that name none: the only one of all objects that such commands
    showed in full.
    """
    shown: set[str] = set()
    for form, piece in pieces:
        command = piece.command
        if (
            form not in ("json-yaml", "describe")
            or command is None
            or command.namespace
            or command.all_namespaces
        ):
            continue
        got = _read(form, piece) or Reading()
        shown |= {f.about.within for f in got.facts if f.about.kind in _IN_A_NAMESPACE and f.about.within}
    return next(iter(shown)) if len(shown) == 1 else None


def _merge_spans(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield spans that follow one another as one."""
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
