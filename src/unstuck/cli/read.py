"""`read`: answers from texts that a person has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.api.reading import Question, read_paths, refuse_nothing, report_read
from unstuck.cli import terminal
from unstuck.cli.answers import Shape, answer, say, without
from unstuck.cli.progress import progress
from unstuck.facts.record import Record, record
from unstuck.facts.text import Text
from unstuck.render.words import in_lang

if TYPE_CHECKING:
    from unstuck.api.settings import Settings

_READING = Text("reading", "正在读取")


@record()
class Read(Record):
    """The question as it was typed."""

    paths: tuple[str, ...]
    question: Question
    show_facts: bool
    shape: Shape
    save: str | None = None
    settings: Settings | None = None


def read(asked: Read) -> int:
    """Print the answers and returns the exit status. Errors: InputError where nothing can be read, NotFound for --subject."""
    lang = asked.shape.lang
    with progress(in_lang(_READING, lang)) as spinner:
        snap, seen = read_paths(asked.paths, spinner.share if terminal.moving() else None)
    say(seen.said, lang)
    refuse_nothing(asked.paths, snap, seen)
    say(seen.refused, lang)
    if asked.show_facts:
        from unstuck.render.facts import facts_text

        terminal.emit(facts_text(snap.facts, lang, terminal.colour(), seen.missed, seen.understood))
        return 0
    report = report_read(asked.paths, snap, seen, asked.question)
    if asked.save:
        report.save(asked.save)
    return answer(without(report, asked.settings), asked.shape)
