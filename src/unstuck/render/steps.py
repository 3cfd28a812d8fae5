"""Fixes with their risk, and actions to avoid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Step
from unstuck.render.cells import Line, Span, Style, count_cells
from unstuck.render.page import Page
from unstuck.render.placeholders import find_placeholders
from unstuck.render.words import mark

_RISKY: dict[str, Style] = {"loses-data": "bad", "disrupts": "warn"}


def lay_out_steps(steps: Sequence[Step], page: Page) -> list[Line]:
    """Lay out each step: the instruction, its host and risk, its command, its undo, and its effect."""
    lines: list[Line] = []
    for i, step in enumerate(steps):
        # Two alternatives with the same effect show it below the second.
        one = (
            replace(step, verify=None)
            if any(step.verify == other.verify for other in steps[i + 1 : i + 2])
            else step
        )
        lines += _step(one, Span("" if i else page.word("fix"), "good"), page, name_source(steps, i, page))
    return lines


def name_source(steps: Sequence[Step], at: int, page: Page) -> str:
    """Return `in the owner's manifest: ` for a step in that manifest, unless the previous step is in it
    too.
    """
    here = steps[at].where == "source" and bool(steps[at].says.en)
    return page.word("source") if here and not (at and steps[at - 1].where == "source") else ""


def _step(step: Step, label: Span, page: Page, source: str) -> list[Line]:
    lines: list[Line] = []
    style = _RISKY.get(step.risk, "")
    if says := page.text(step.says):
        # Host, risk and undo follow the command; without one the risk follows the instruction.
        risk = "" if step.command or step.risk == "none" else mark(page.word(step.risk), page.lang)
        lines += page.block(label, source + says, style, tail=risk)
        label = Span("")
    lines += _render_command(step, label, page)
    for word, how in find_placeholders((*step.command.argv, *step.undo.argv)):
        lines += lay_out_replacement(word, how, page)
    if step.verify:
        lines += page.block(Span(""), page.word("verify") + page.text(step.verify), "dim")
    return lines


def _render_command(step: Step, label: Span, page: Page) -> list[Line]:
    kind, _, name = step.where.partition(":")
    node = page.node_prefix(name).rstrip() if kind == "node" else ""
    where = node.rstrip(":：")
    risk = page.word(step.risk) if step.risk != "none" else ""
    lead = page.word("comma").join(part for part in (where, risk) if part)
    undo = f"{page.word('undo')}{step.undo.line}" if step.undo else ""
    if not step.command:
        return page.command("", step.command, label if label.text else None)
    if undo and count_cells(undo) + count_cells(lead) + 3 <= page.room and page.is_narrow:
        return page.command(
            f"{lead} {mark(undo, page.lang)}{page.word('colon')}".lstrip(),
            step.command,
            label if label.text else None,
        )
    used = page.column + count_cells(lead) + 2 + count_cells(step.command.line) + 4
    fits = bool(undo) and not page.is_narrow and used + count_cells(undo) <= page.width
    tail = mark(undo, page.lang) if fits else ""
    lines = page.command(
        f"{lead}{page.word('colon')}" if lead else "", step.command, label if label.text else None, tail
    )
    return lines if fits else [*lines, *page.command(page.word("undo"), step.undo)]


def lay_out_replacement(word: str, how: Text, page: Page) -> list[Line]:
    """Return the lines on how to fill in placeholders."""
    return page.block(Span(""), page.word("put_for", word=word, how=page.text(how)), "dim")


def lay_out_prohibitions(acts: Sequence[DoNot], page: Page) -> list[Line]:
    """Name the tempting actions and the effect of each in this case."""
    lines: list[Line] = []
    for i, act in enumerate(acts):
        says = page.text(act.says) + page.word("colon") + page.text(act.because)
        lines += page.block(Span("" if i else page.word("dont"), "bad"), says)
    return lines
