"""The changes since Pods of this kind were last scheduled."""

from __future__ import annotations

from unstuck.diagnosis.answer import Diagnosis
from unstuck.render.cells import Line, Span
from unstuck.render.evidence import shorten_paths
from unstuck.render.page import Page

CHANGES = 5


def change_lines(d: Diagnosis, page: Page, most: int = CHANGES) -> list[Line]:
    """Lay out one block per change; nothing if no change is known."""
    lines: list[Line] = []
    for says in d.changed[:most]:
        lines += page.block(Span("" if lines else page.word("changed")), shorten_paths(page.text(says)))
    return lines
