"""A subject's progress on its stage line: in one line, or stage by stage."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import Diagnosis, Stage
from unstuck.render.cells import Line, Span, Style, count_cells
from unstuck.render.page import Page
from unstuck.render.words import MARKS, STAGE_MARKS

_STAGES: dict[str, Style] = {"done": "good", "not-done": "bad", "unknown": "warn", "later": "dim"}


def lay_out_progress(d: Diagnosis, page: Page, most: int) -> list[Line]:
    """Return `6 of 11 steps done ✓ · volumes unmounted ✗ · then: …`, wrapped, with notes on open stages
    below. most: stages by name.
    """
    if not d.stages:
        return []
    done = sum(s.state == "done" for s in d.stages)
    parts = [f"{page.word('steps_done', n=done, of=len(d.stages))} {STAGE_MARKS['done']}"] if done else []
    parts += [f"{page.text(s.says)} {_mark(s, d)}" for s in d.stages if s.state == "not-done"]
    parts += _some([s for s in d.stages if s.state == "unknown"], STAGE_MARKS["unknown"], page, most)
    # Stages independent of the current one come before it.
    after = max((i for i, s in enumerate(d.stages) if s.state in ("not-done", "unknown")), default=-1)
    later = [s for s in d.stages[after + 1 :] if s.state == "later"]
    if later:
        first, *more = _some(later, "", page, most)
        parts += [page.word("then_stages") + first, *more]
    lines = page.parts(parts, " ·", "dim")
    for stage in d.stages:
        if stage.note and stage.state == "not-done":
            lines += page.block(Span(""), page.text(stage.note))
    return lines


def _mark(stage: Stage, d: Diagnosis) -> str:
    """Return a stage's mark: while an object makes progress, its current stage is not marked as failed."""
    return (
        MARKS["progressing"]
        if stage.state == "not-done" and d.state.name == "progressing"
        else STAGE_MARKS[stage.state]
    )


def _some(stages: Sequence[Stage], mark: str, page: Page, most: int) -> list[str]:
    named = [f"{page.text(s.says)} {mark}".strip() for s in stages[:most]]
    return [*named, page.word("more", n=len(stages) - most)] if len(stages) > most else named


def stage_lines(d: Diagnosis, page: Page, _most: int) -> list[Line]:
    """Return every stage with its mark and its age if known."""
    lines: list[Line] = []
    current: list[Span] = [Span(" " * page.column)]
    used = page.column
    for stage in d.stages:
        when = (
            f" {page.word('ago', span=page.ago(stage.since))}"
            if stage.since and stage.state != "later"
            else ""
        )
        name, sign = page.text(stage.says) + " ", _mark(stage, d)
        size = count_cells(name) + 1 + count_cells(when)
        if used > page.column and used + size > page.width:
            lines.append(tuple(current))
            current, used = [Span(" " * page.column)], page.column
        style = "warn" if sign == MARKS["progressing"] else _STAGES[stage.state]
        current += [
            Span(name, "dim" if stage.state == "later" else ""),
            Span(sign, style),
            Span(when + "  ", "dim"),
        ]
        used += size + 2
    if len(current) > 1:
        lines.append(tuple(current))
    for stage in d.stages:
        if stage.note and stage.state == "not-done":
            lines += page.block(Span(""), page.text(stage.note))
    return lines
