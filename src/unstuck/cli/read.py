"""`read`: answers from files and pasted texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from unstuck import __version__
from unstuck.api.reading import (
    ReadSummary,
    TextQuestion,
    choose_question,
    read_paths,
    report_read,
    require_facts,
)
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
    """The question as typed."""

    paths: tuple[str, ...]
    question: TextQuestion
    show_facts: bool
    shape: OutputOptions
    save: str | None = None
    settings: Settings | None = None
    once: bool = False


def read(request: ReadRequest) -> int:
    """Print the answers and return the exit status. Errors: InputError if nothing can be read, NotFound for
    --subject.

    On a terminal each further paste is answered together with the earlier ones, until an empty one.
    """
    typed = (
        request.paths == ("-",)
        and terminal.can_ask()
        and request.shape.is_for_people
        and not request.show_facts
    )
    return _read_pastes(request) if typed and not request.once else _read(request)


def _read_pastes(request: ReadRequest) -> int:
    """Print the answer to all pastes so far, after each paste."""
    from unstuck.cli.pastes import pastes

    kept, status, said = list[bytes](), NOT_ASKED, False
    for paste in pastes(request.shape.lang):
        said = True
        try:
            status = _read(
                replace(request, paths=(), shape=replace(request.shape, paged=False)), (*kept, paste)
            )
            kept.append(paste)
        except UnstuckError as e:
            # The earlier pastes remain available for questions.
            failure(e, "unstuck", request.shape.lang)
    return status if said else _read(replace(request, paths=()), (b"",))


def _show_facts(snap: Snapshot, seen: ReadSummary, request: ReadRequest) -> int:
    """Print the facts: one per line, or as a Snapshot in the form of `--save`."""
    if request.shape.is_for_people:
        from unstuck.render.facts import write_facts

        terminal.emit(
            write_facts(
                snap.facts, request.shape.lang, terminal.colour(), seen.not_understood, seen.understood
            )
        )
        return 0
    terminal.emit(
        dump_document(save(choose_question(request.question, snap, seen), __version__), request.shape.output)
    )
    return 0


def _read(request: ReadRequest, pasted: Sequence[bytes] = ()) -> int:
    lang = request.shape.lang
    with progress(in_lang(_READING, lang)) as spinner:
        snap, seen = read_paths(request.paths, spinner.show_share if terminal.can_animate() else None, pasted)
    named = request.paths or ("-",)
    tell(seen.notes, lang)
    require_facts(named, snap, seen)
    tell(seen.refusals, lang)
    if request.show_facts:
        return _show_facts(snap, seen, request)
    report = report_read(named, snap, seen, request.question)
    if request.save:
        report.save(request.save)
    return answer(hide_known(report, request.settings), request.shape)
