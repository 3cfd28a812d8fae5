"""How a block of an answer is laid out: a label at the left, its content in one column."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from unstuck.diagnosis.command import Command
from unstuck.diagnosis.given import bare
from unstuck.diagnosis.text import Text, lasting
from unstuck.facts.record import Record, record
from unstuck.render.cells import Line, Span, Style, cells, line, padded, wrapped
from unstuck.render.visible import visible
from unstuck.render.words import Lang, in_lang, word

INDENT = 2
COLUMN = 11
# What goes on from the line above begins further right than any command: a name with blanks in it could look like one there.
HANGING = 2
NARROWEST = 40


@record()
class Page(Record):
    """The language, the width in cells, and the moment that every `ago` is counted from."""

    lang: Lang
    width: int
    at: datetime

    @property
    def room(self) -> int:
        """Cells from the content's column to the right edge."""
        return max(NARROWEST, self.width - COLUMN)

    def text(self, text: Text) -> str:
        """In this page's language, harmless."""
        return visible(in_lang(text, self.lang))

    def word(self, key: str, **values: object) -> str:
        """Return a word of the interface."""
        return word(key, self.lang, **values)

    def ago(self, when: datetime) -> str:
        """Return `14 s`, `12 min`: how long before the page's moment."""
        return in_lang(lasting(self.at - when), self.lang)

    def block(self, label: Span, text: str, style: Style = "", tail: str = "") -> list[Line]:
        """Wrap text under its label; a label longer than its column pushes the first line only. tail: a dim remark at the end."""
        start = max(COLUMN, INDENT + cells(label.text) + 2) if label.text else COLUMN
        head = Span(padded(" " * INDENT + label.text, start), label.style) if label.text else Span(" " * start)
        first, *rest = self._flow(text, start)
        lines = [line(head, Span(first, style)), *(line(Span(" " * (COLUMN + HANGING)), Span(t, style)) for t in rest)]
        if tail:
            used = (COLUMN + HANGING if rest else start) + cells(rest[-1] if rest else first)
            if used + cells(tail) + 2 <= max(self.width, COLUMN + NARROWEST):
                lines[-1] = (*lines[-1], Span("  " + tail, "dim"))
            else:
                lines.append(line(Span(" " * COLUMN), Span(tail, "dim")))
        return lines

    def _flow(self, text: str, start: int) -> list[str]:
        """Mind that the first line may begin further right than the others."""
        text = visible(text)
        first = wrapped(text, self.room if start == COLUMN else max(NARROWEST // 2, self.width - start))
        if len(first) == 1:
            return first
        return [first[0], *wrapped(text[len(first[0]) :].lstrip(), self.room - HANGING)]

    def on_node(self, node: str) -> str:
        """Return `on lab-1: `, in front of a command; no word that can be no Node's name stands in a line that is copied."""
        return self.word("on", node=self.word("the_node") if node in ("", "NODE") or bare("Node", node).unfit else node)

    def command(self, lead: str, command: Command, label: Span | None = None, tail: str = "") -> list[Line]:
        """Return one command on one line however long it is, so that it can be copied; why there is none, where a name cannot be right."""
        if not command:
            return [row for why in command.why_none for row in self.block(label or Span(""), self.text(why), "dim")]
        head = padded(" " * INDENT + label.text, COLUMN) if label else " " * COLUMN
        end = (Span("  " + tail, "dim"),) if tail else ()
        return [line(Span(head, label.style if label else ""), Span(lead), Span(command.line, "command"), *end)]


def reach_words(reach: Iterable[tuple[str, int]]) -> str:
    """Return `Pod 600 · Deployment 12`."""
    return " · ".join(f"{kind} {count}" for kind, count in sorted(reach, key=lambda r: (-r[1], r[0])))
