"""The layout of an answer's blocks: labels at the left, contents in one column."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from unstuck.diagnosis.command import Command
from unstuck.diagnosis.given import bare
from unstuck.diagnosis.text import Text, format_duration
from unstuck.facts.record import Record, record
from unstuck.render.cells import Line, Span, Style, count_cells, join_parts, line, pad, wrap
from unstuck.render.visible import shorten_middle, visible
from unstuck.render.words import Lang, in_lang, word

INDENT = 2
COLUMN = 11
# Continuation lines are indented further than any command, so that a name with blanks cannot look like a
# command.
HANGING = 2
NARROWEST = 40
LEAST = 8
WIDE = 100


@record()
class Page(Record):
    """The language, the width in cells, and the reference time of every `ago`.

    indent, column: the columns of labels and of their content. gap: the minimum cells between a label and its
    content. printed: whether the page is kept, so that its reader cannot ask again with an option.
    """

    lang: Lang
    width: int
    at: datetime
    indent: int = INDENT
    column: int = COLUMN
    gap: int = 2
    printed: bool = False

    @property
    def is_narrow(self) -> bool:
        """Whether a command has a line of its own from the first column on, so that a triple click selects
        exactly the command.
        """
        return self.indent == 0

    @property
    def room(self) -> int:
        """Cells from the content's column to the right edge."""
        return max(LEAST if self.is_narrow else NARROWEST, self.width - self.column)

    def text(self, text: Text) -> str:
        """Return the text in this page's language, its hidden characters escaped."""
        return visible(shorten_middle(in_lang(text, self.lang)))

    def word(self, key: str, **values: object) -> str:
        """Return a word of the interface."""
        return word(key, self.lang, **values)

    @property
    def on_demand(self) -> str:
        """The hint at the option for the counted parts."""
        return "" if self.printed else self.word("on_demand")

    def ago(self, when: datetime) -> str:
        """Return the time before the page's reference time: `14 s`, `12 min`."""
        return in_lang(format_duration(self.at - when), self.lang)

    def block(self, label: Span, text: str, style: Style = "", tail: str = "") -> list[Line]:
        """Wrap text beside its label; a label longer than its column shifts only the first line. tail: a dim
        remark at the end.
        """
        start = (
            max(self.column, self.indent + count_cells(label.text) + self.gap) if label.text else self.column
        )
        head = (
            Span(pad(" " * self.indent + label.text, start), label.style) if label.text else Span(" " * start)
        )
        first, *rest = self.flow(text, start)
        lines = [
            line(head, Span(first, style)),
            *(line(Span(" " * (self.column + HANGING)), Span(t, style)) for t in rest),
        ]
        if tail:
            used = (self.column + HANGING if rest else start) + count_cells(rest[-1] if rest else first)
            if used + count_cells(tail) + 2 <= max(
                self.width, self.column + (LEAST if self.is_narrow else NARROWEST)
            ):
                lines[-1] = (*lines[-1], Span("  " + tail, "dim"))
            else:
                lines += [
                    line(Span(" " * (self.column + HANGING)), Span(t, "dim"))
                    for t in wrap(tail, max(LEAST, self.room - HANGING))
                ]
        return lines

    def parts(self, parts: Sequence[str], dot: str, style: Style = "") -> list[Line]:
        """Lay out related parts in one line, or in several lines broken between parts."""
        *before, last = [visible(part) for part in parts]
        first, *rest = join_parts(
            [*(f"{part}{dot}" for part in before), last], " ", max(LEAST, self.room - HANGING), self.room
        )
        head = line(Span(" " * self.column), Span(first, style))
        return [head, *(line(Span(" " * (self.column + HANGING)), Span(t, style)) for t in rest)]

    def flow(self, text: str, start: int) -> list[str]:
        """Return the text as wrapped lines; the first may begin further right than the others. Leading spaces
        are kept.
        """
        text = visible(text)
        words = text.lstrip(" ")
        before = text[: len(text) - len(words)]
        room = self.room if start == self.column else max(LEAST, self.width - start)
        first, *more = wrap(words, max(LEAST, room - len(before)))
        if not more:
            return [before + first]
        return [before + first, *wrap(words[len(first) :].lstrip(), max(LEAST, self.room - HANGING))]

    def node_prefix(self, node: str) -> str:
        """Return `on lab-1: `, the prefix of a command; only valid Node names appear in it."""
        unnamed = node in ("", "NODE") or bare("Node", node).unfit
        return self.word("on_the_node") if unnamed else self.word("on", node=node)

    def speaker_prefix(self, by: str) -> str:
        """Return `kubelet: `, the prefix of a message: the component under its own name; "" if it is
        unknown.
        """
        return (self.word("your_paste") if by == "paste" else by) + self.word("colon") if by else ""

    def command(self, lead: str, command: Command, label: Span | None = None, tail: str = "") -> list[Line]:
        """Lay out one command on one line of any length, for copying; if a name rules out a command, say why.

        On a narrow page the text before and after the command has separate lines.
        """
        if not command:
            return [
                row
                for why in command.why_none
                for row in self.block(label or Span(""), self.text(why), "dim")
            ]
        if self.is_narrow:
            said = "".join((lead.rstrip(), f" {tail}" if tail else "")).strip()
            above = self.block(label or Span(""), said) if said else [line(label)] if label else []
            return [*above, line(Span(command.line, "command"))]
        head = pad(" " * self.indent + label.text, self.column) if label else " " * self.column
        end = (Span("  " + tail, "dim"),) if tail else ()
        return [
            line(Span(head, label.style if label else ""), Span(lead), Span(command.line, "command"), *end)
        ]


def lay_out(lang: Lang, width: int, at: datetime) -> Page:
    """Return the page of an answer: labels in capitals at the left; below 100 cells the narrow form, below
    40 with hardly a margin.
    """
    if width >= WIDE:
        return Page(lang, width, at, column=9, gap=1)
    return Page(lang, max(LEAST, width), at, indent=0, column=7 if width >= NARROWEST else 2, gap=1)
