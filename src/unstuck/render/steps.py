"""What helps, how risky it is, and what must not be done."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.verdict import DoNot, Step
from unstuck.render.cells import Line, Span, Style
from unstuck.render.page import Page
from unstuck.render.unknown import unknown
from unstuck.render.words import mark

_RISKY: dict[str, Style] = {"loses-data": "bad", "disrupts": "warn"}


def help_lines(steps: Sequence[Step], page: Page) -> list[Line]:
    """Return each step: what it does with its risk, its command, how to take it back, how to see that it worked."""
    lines: list[Line] = []
    for i, step in enumerate(steps):
        label = Span(page.word("help") if i == 0 else "", "good")
        lines += _step(step, label, page)
    return lines


def _step(step: Step, label: Span, page: Page) -> list[Line]:
    lines: list[Line] = []
    risk = mark(page.word(step.risk), page.lang) if step.command or step.risk != "none" else ""
    if says := page.text(step.says):
        lines += page.block(label, says, _RISKY.get(step.risk, ""), tail=risk)
        label, risk = Span(""), ""
    lines += page.command(_where(step, page), step.command, label if label.text else None, risk)
    if step.command:
        lines += page.command(page.word("undo"), step.undo)
    for word, how in unknown((*step.command.argv, *step.undo.argv)):
        lines += page.block(Span(""), page.word("put_for", word=word, how=page.text(how)), "dim")
    if step.verify:
        lines += page.block(Span(""), page.word("verify") + page.text(step.verify), "dim")
    return lines


def _where(step: Step, page: Page) -> str:
    kind, _, name = step.where.partition(":")
    if kind == "node":
        return page.on_node(name)
    return page.word("source") if kind == "source" else ""


def do_not_lines(acts: Sequence[DoNot], page: Page) -> list[Line]:
    """Return the tempting acts and what each would do."""
    lines: list[Line] = []
    for i, act in enumerate(acts):
        colon = page.word("colon")
        lines += page.block(Span(page.word("do_not") if i == 0 else "", "bad"), page.text(act.says) + colon + page.text(act.because))
    return lines
