"""Reads texts and bundles as facts of one moment."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from unstuck.api.investigation import now
from unstuck.api.nothing_read import (
    EVENTS,
    choose_next_command,
    make_nothing_read_error,
    name_files,
    quote_log_end,
)
from unstuck.api.opened_paths import (
    OpenedPath,
    find_printed,
    make_names_distinct,
    open_pasted,
    open_path,
    raise_input_errors,
)
from unstuck.api.replaying import diagnose_saved, note_silence
from unstuck.api.report import Report, report_of
from unstuck.api.subject import parse_object
from unstuck.api.text_kinds import HEAD
from unstuck.collect.objects.kinds import OWN_GROUPS, builtin
from unstuck.engine.evaluator import Evaluator
from unstuck.errors import InputError, NotFound, join_sentences
from unstuck.facts.codec import Saved
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Messages, Text

if TYPE_CHECKING:
    from unstuck.collect.text.cutting.piece import TypedCommand
    from unstuck.collect.text.read import ReadResult

say = Messages(__name__)

_IN_A_LOG = say("it tells what the program says, not what became of it; ")
_OF_ITS_POD = say("useful would be kubectl's describe or -o yaml of its Pod")
# Formats with a time on every line, or on none.
_PART = "describe-part"
_LOGS = frozenset(("log", "journal", "journal-marks", "recorded-events", "dmesg"))
# The number of texts whose beginnings are kept for choosing the next command.
_FEW = 8
# A paste is read immediately.
_LATE = timedelta(minutes=10)


class ReadProgress(Protocol):
    """Receives a function that reports the progress of reading."""

    def __call__(self, share: Callable[[], float], /) -> None:
        """Store `share`, a function that returns the fraction read so far, from 0 to 1."""


def read(
    *paths: str | os.PathLike[str],
    subject: str | None = None,
    namespace: str | None = None,
    after: float | None = None,
    progress: ReadProgress | None = None,
) -> Report:
    """Answer from texts and support bundles: output of `kubectl`, logs of a node, a must-gather, files of
    `collect`.

    paths: files and directories; archives are streamed; `-` reads standard input. subject: limits the answer
    to this object (`pod/web-0`), in `namespace` if several share its name. after: seconds after which a state
    counts as stuck; None: the usual times. Errors: InputError if nothing can be read, NotFound if the texts
    do not mention `subject`.
    """
    named = tuple(os.fspath(p) for p in paths)
    snap, seen = read_paths(named, progress)
    return report_read(named, snap, seen, TextQuestion(subject, namespace, after))


@record()
class TextQuestion(Record):
    """The question about a text. subject: as typed; None: all objects in the text."""

    subject: str | None = None
    namespace: str | None = None
    after: float | None = None


def report_read(paths: tuple[str, ...], snap: Snapshot, seen: ReadSummary, question: TextQuestion) -> Report:
    """Answer one question about the input. Errors: those of `read`."""
    require_facts(paths, snap, seen)
    if _is_only_program_output(snap.facts):
        named = ", ".join(paths)
        raise InputError(
            say("{named} holds nothing but a container's own log", named=named) + quote_log_end(snap),
            _IN_A_LOG + (_describe_pod_of_log(seen) or _OF_ITS_POD),
        )
    saved = choose_question(question, snap, seen)
    evaluator = Evaluator()
    found = diagnose_saved(saved, evaluator)
    if not found.diagnoses and saved.asked is None:
        _refuse_doubtful(paths, snap, seen, evaluator)
    return report_of(
        saved, found.diagnoses, found.view, (*seen.notes, *seen.refusals), left_out=note_silence(found.silent)
    )


def require_facts(paths: tuple[str, ...], snap: Snapshot, seen: ReadSummary) -> None:
    """Refuse to answer if nothing was read. Errors: InputError."""
    if snap.facts:
        return
    if seen.refusals:
        raise InputError(seen.refusals[0])
    error = make_nothing_read_error(name_files(paths), seen.unread)
    raise error if error.hint else InputError(error.message, EVENTS)


def _refuse_doubtful(paths: tuple[str, ...], snap: Snapshot, seen: ReadSummary, evaluator: Evaluator) -> None:
    """Refuse to call a text fine if a line contradicts it, if no object in the text is known to be fine, or
    if a part of a single text was not understood: it may tell what is wrong. Errors: InputError.
    """
    from unstuck.api.alarms import find_doubt  # most texts report an unhealthy object

    if why := find_doubt(snap, seen.alarming_lines, evaluator):
        raise InputError(
            name_files(paths) + say(": ") + why, choose_next_command(seen.alarming_texts) or EVENTS
        )
    if seen.texts == 1 and seen.not_understood:
        raise InputError(
            say(
                "{named}: the objects that were read are well, but not all of it was understood ({places})",
                named=name_files(paths),
                places=", ".join(seen.not_understood[:_FEW]),
            ),
            EVENTS,
        )


_ANSWER_STANDS = say("the answer above stands")
_LAST_PASTED = say("what was pasted last")


def _describe_pod_of_log(seen: ReadSummary) -> Text | None:
    """Return the command to run next about the Pod whose container wrote a text, from the first text that
    shows it.
    """
    from unstuck.api.unread import run_next_of_program  # as above

    return next((step for text in seen.unread if (step := run_next_of_program(text))), None)


def _is_only_program_output(facts: Collection[Fact]) -> bool:
    """Tell whether the input is only programs' output without a final error: it is no proof of health."""
    from unstuck.facts.aspects.pasted import Pasted
    from unstuck.facts.aspects.pod import LastLines

    return all(
        isinstance(f, Pasted) or (isinstance(f, LastLines) and not (f.complaint and f.complaint.final))
        for f in facts
    )


def choose_question(question: TextQuestion, snap: Snapshot, seen: ReadSummary) -> Saved:
    """Return the facts with their question: the typed one, else the question of the only Snapshot. Errors:
    NotFound.
    """
    ref = _parse_subject(question.subject, question.namespace, snap) if question.subject else None
    alone = (
        seen.snapshots[0]
        if len(seen.snapshots) == 1 and seen.snapshots[0].snapshot.facts == snap.facts
        else None
    )
    if alone is None or ref is not None:
        return Saved(snap, ref, question.after)
    return Saved(snap, alone.asked, alone.after if question.after is None else question.after)


@dataclass(slots=True)
class ReadSummary:
    """A summary of the input.

    texts: the number of texts outside bundles. understood: (format, `FILE:FIRST-LAST`). not_understood:
    unrecognised places. notes: unread input with the reasons, and the time of the evidence. snapshots: the
    Snapshots found. refusals: the reasons for not reading others. unread: the beginnings of texts without
    readable content besides a program's own output. alarming_lines: for each text, the line that looks most
    like a reason; alarming_texts: the beginnings of the first such texts.
    """

    texts: int = 0
    understood: list[tuple[str, str]] = field(default_factory=list)
    not_understood: list[str] = field(default_factory=list)
    notes: list[Text] = field(default_factory=list)
    snapshots: list[Saved] = field(default_factory=list)
    refusals: list[Text] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    alarming_lines: list[str] = field(default_factory=list)
    alarming_texts: list[str] = field(default_factory=list)


def read_paths(
    paths: tuple[str, ...], progress: ReadProgress | None = None, pasted: Sequence[bytes] = ()
) -> tuple[Snapshot, ReadSummary]:
    """Return every text and bundle as facts of one moment, and a summary of the input. pasted: texts already
    read.

    The moment is a Snapshot's own, or the printing time of a description in the texts, or the time of the
    last written text, if known, or now. Errors: InputError for an unreadable path.
    """
    from unstuck.collect.bundle.members import size_of

    def watch(told: Callable[[], int]) -> None:
        if progress is not None:
            progress(lambda: (passed + told()) / total)

    # A repeated path is one text: standard input is empty the second time.
    paths = tuple({(path == "-", os.path.normpath(path)): path for path in reversed(paths)}.values())[::-1]
    sizes = [size_of(path) if progress is not None and path != "-" else 0 for path in paths]
    total, passed = max(1, sum(sizes)), 0
    opened = [*make_names_distinct([open_path(path) for path in paths]), *open_pasted(pasted)]
    sizes += [0] * len(pasted)
    at = now()
    printed = find_printed(opened, at)
    facts: set[Fact] = set()
    seen = ReadSummary()
    times: list[datetime] = []
    texts = _read_texts(opened, printed, at)
    for one, size in zip(opened, sizes, strict=True):
        with raise_input_errors(one.path):
            more, when = _bundle(one, at, seen, watch) if one.bundle else _note(one, *texts[one.name], seen)
        if more:
            times.append(when)
        facts |= more
        passed += size
        if not more and len(opened) > 1:
            told_of = seen.unread[-1:] if not one.bundle else ()
            if pasted:
                nothing = make_nothing_read_error(_LAST_PASTED, told_of)
                raise InputError(nothing.message, join_sentences(nothing.hint or EVENTS, _ANSWER_STANDS))
            seen.notes.append(make_nothing_read_error(name_files([one.path]), told_of).said)
    # A Snapshot has its own time and sources; all its facts are older.
    moment = max((s.snapshot.now for s in seen.snapshots), default=max(times, default=at))
    if not seen.snapshots and at - moment > _LATE:
        then = f"{moment:%Y-%m-%d %H:%M} UTC"
        seen.notes.append(say("read as of {then}, when it was written", then=then))
    return Snapshot(
        facts,
        moment,
        [*(f"file:{o.path}" for o in opened), *(w for s in seen.snapshots for w in s.snapshot.sources)],
    ), seen


def _bundle(
    one: OpenedPath, at: datetime, seen: ReadSummary, watch: Callable[[Callable[[], int]], None]
) -> tuple[set[Fact], datetime]:
    from unstuck.collect.bundle import read_bundle

    got = read_bundle(one.path if one.data is None else one.name, at, data=one.data, watch=watch)
    seen.understood += got.understood
    seen.not_understood += got.not_understood
    seen.notes += got.notes
    seen.snapshots += got.snapshots
    seen.refusals += got.refusals
    return set(got.facts), got.at or at


def _read_texts(
    opened: Sequence[OpenedPath], printed: datetime | None, at: datetime
) -> dict[str, tuple[ReadResult, datetime]]:
    """Return by name the results for each plain text, and its moment. printed, at: as in `_text`. Errors:
    InputError.

    A log without a name is taken for the one missing from the other texts: users bring the requested log.
    """
    found: dict[str, tuple[ReadResult, datetime]] = {}
    for one in opened:
        if not one.bundle:
            with raise_input_errors(one.path):
                found[one.name] = _text(one, printed, at)
    if len(found) < 2 or len(found) < len(opened):
        return found
    from unstuck.api.log_owners import (
        find_log_command,
        may_be_log,
        name_no_object,
    )  # a single text has no others beside it

    # A text is read again only if its facts leave its owner open.
    nameless = [one for one in opened if name_no_object(found[one.name][0].facts) and may_be_log(one.text())]
    beside = [
        f
        for name, (text, _) in found.items()
        if name not in {one.name for one in nameless}
        for f in text.facts
    ]
    command = find_log_command(beside) if len(nameless) == 1 else None
    return found | ({one.name: _text(one, printed, at, command) for one in nameless} if command else {})


def _text(
    one: OpenedPath, printed: datetime | None, at: datetime, command: TypedCommand | None = None
) -> tuple[ReadResult, datetime]:
    """Read one text. printed: its printing time, if known. at: the reading time. command: the command that
    printed it, if known.
    """
    from unstuck.collect.bundle.member_times import contradicts, moment
    from unstuck.collect.text import read_text
    from unstuck.collect.text.kubectl.print_time import find_stamps
    from unstuck.collect.text.node.dmesg import find_kernel_stamps
    from unstuck.facts.aspects.objects import Events

    when = printed or moment(one.written, at)
    text = read_text(one.text(), one.name, when, command)
    if printed is None and contradicts(text.facts, when):
        when, text = at, read_text(one.text(), one.name, at, command)
    if printed is None and {form for _, _, form in text.understood} <= _LOGS:
        # Ages are not counted from the time of saving: the last report counts as current.
        stamps = (
            find_kernel_stamps(one.text()) if any(form == "dmesg" for _, _, form in text.understood) else ()
        )
        when = max(
            (at for at in (*stamps, *(f.src.at for f in text.facts)) if at is not None and at <= when),
            default=when,
        )
    if (
        printed is None
        and {form for _, _, form in text.understood} == {_PART}
        and not any(isinstance(f, Events) for f in text.facts)
    ):
        # Containers without Events have no age: their last event counts as current, or a run just ended would
        # seem long past.
        told = max((stamp for stamp in find_stamps(one.text()) if stamp <= when), default=when)
        if told < when:
            when, text = told, read_text(one.text(), one.name, told, command)
    return text, when


def _note(one: OpenedPath, text: ReadResult, when: datetime, seen: ReadSummary) -> tuple[set[Fact], datetime]:
    """Record the recognised parts of a text, and return its facts and its moment."""
    from unstuck.api.alarms import find_alarming_line
    from unstuck.collect.bundle.read import span
    from unstuck.collect.text.cutting.split import split_lines

    seen.texts += 1
    if _is_only_program_output(text.facts):
        seen.unread.append(one.text()[:HEAD])
    seen.understood += [(form, span(one.name, first, last)) for first, last, form in text.understood]
    if line := find_alarming_line(split_lines(one.text()), text.not_understood):
        seen.alarming_lines.append(line)
        if len(seen.alarming_texts) < _FEW:
            seen.alarming_texts.append(one.text()[:HEAD])
    seen.not_understood += [span(one.name, first, last) for first, last in text.not_understood]
    return set(text.facts), when


def _parse_subject(typed: str, namespace: str | None, snap: Snapshot) -> Ref:
    ref = parse_object((typed,), namespace)
    named = snap.subjects(ref.kind) or _list_custom_subjects(ref.kind, snap)
    if known := [r for r in named if r.name == ref.name and ref.within in (None, r.within)]:
        return known[0]
    # Found by another identity: a log has a Pod's uid and no Namespace.
    if (same := snap.canon(ref)) in named:
        return same
    others = ", ".join(str(r) for r in named[:5])
    raise NotFound(
        say("nothing in the text is about {typed}", typed=typed),
        say("it speaks of {others}", others=others) if others else None,
    )


def _list_custom_subjects(word: str, snap: Snapshot) -> tuple[Ref, ...]:
    """Find subjects of a kind without an entry of its own, mostly a custom one, in any typed form: `widget`,
    `widgets`, `widgets.example.com`, `flowschemas.flowcontrol.apiserver.k8s.io`.
    """
    name, _, group = word.lower().partition(".")
    about = {snap.canon(f.about) for f in snap.facts if builtin(f.about.kind) is None}
    kinds = {
        k
        for k in {r.kind for r in about}
        if _is_kind_word(name, k.lower())
        and (group in ("", k.partition(".")[2].lower()) or ("." not in k and group in OWN_GROUPS))
    }
    return tuple(sorted((r for r in about if r.kind in kinds), key=lambda r: r.key))


def _is_kind_word(word: str, kind: str) -> bool:
    """Tell whether the word is the kind or its plural, with any usual ending: `-s`, `-es`, `-ies` for
    `-y`.
    """
    one = kind.partition(".")[0]
    return word in (one, f"{one}s", f"{one}es", f"{one[:-1]}ies")
