"""`read`: answers from files and pasted texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from unstuck import __version__
from unstuck.api.reading import ReadSummary, TextQuestion, question_of, read_paths, report_read, require_facts
from unstuck.cli import terminal
from unstuck.cli.answers import OutputOptions, answer, dump_document, hide_known, tell
from unstuck.cli.failure import failure
from unstuck.cli.progress import progress
from unstuck.cli.status import NOT_ASKED
from unstuck.errors import UnstuckError
from unstuck.facts.codec import save
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Messages
from unstuck.render.words import in_lang

if TYPE_CHECKING:
    from unstuck.api.settings import Settings

say = Messages(__name__)

_READING = say("reading")


@record()
class ReadRequest(Record):
    """The question as it was typed."""

    paths: tuple[str, ...]
    question: TextQuestion
    show_facts: bool
    shape: OutputOptions
    save: str | None = None
    settings: Settings | None = None
    once: bool = False


def read(asked: ReadRequest) -> int:
    """Print the answers and return the exit status. Errors: InputError where nothing can be read, NotFound for --subject.

    On a terminal each further paste is answered together with the ones before, until there is none.
    """
    typed = asked.paths == ("-",) and terminal.can_ask() and asked.shape.is_for_people and not asked.show_facts
    return _read_pastes(asked) if typed and not asked.once else _read(asked)


def _read_pastes(asked: ReadRequest) -> int:
    """Give the answer of all pastes together, after each one."""
    from unstuck.cli.pastes import pastes

    kept, status, said = list[bytes](), NOT_ASKED, False
    for paste in pastes(asked.shape.lang):
        said = True
        try:
            status = _read(replace(asked, paths=(), shape=replace(asked.shape, paged=False)), (*kept, paste))
            kept.append(paste)
        except UnstuckError as e:
            # The pastes of before are still there to be asked about.
            failure(e, "unstuck", asked.shape.lang)
    return status if said else _read(replace(asked, paths=()), (b"",))


def _show_facts(snap: Snapshot, seen: ReadSummary, asked: ReadRequest) -> int:
    """Print what was read: one fact a line, or as the Snapshot that `--save` writes."""
    if asked.shape.is_for_people:
        from unstuck.render.facts import facts_text

        terminal.emit(facts_text(snap.facts, asked.shape.lang, terminal.colour(), seen.missed, seen.understood))
        return 0
    terminal.emit(dump_document(save(question_of(asked.question, snap, seen), __version__), asked.shape.output))
    return 0


def _read(asked: ReadRequest, pasted: Sequence[bytes] = ()) -> int:
    lang = asked.shape.lang
    with progress(in_lang(_READING, lang)) as spinner:
        snap, seen = read_paths(asked.paths, spinner.show_share if terminal.can_animate() else None, pasted)
    named = asked.paths or ("-",)
    tell(seen.said, lang)
    require_facts(named, snap, seen)
    tell(seen.refused, lang)
    if asked.show_facts:
        return _show_facts(snap, seen, asked)
    report = report_read(named, snap, seen, asked.question)
    if asked.save:
        report.save(asked.save)
    return answer(hide_known(report, asked.settings), asked.shape)
