"""Facts as lines: what was read, and where."""

from __future__ import annotations

from collections.abc import Iterable

from unstuck.facts.core import Fact
from unstuck.render.cells import Line, Span, line, padded, paint
from unstuck.render.evidence import place
from unstuck.render.page import who


def facts_text(facts: Iterable[Fact], colour: bool) -> str:
    """One fact a line, by subject: its type, `~` where it is not the whole, its place and its words."""
    lines: list[Line] = []
    last = ""
    for fact in sorted(facts, key=lambda f: (f.about.key, type(f).__name__, repr(f))):
        about = who(fact.about)
        if about != last:
            lines += [line()] if lines else []
            lines.append(line(Span(about, "bold")))
            last = about
        source, seen = place(fact)
        name = padded(type(fact).__name__ + ("" if fact.whole else " ~"), 20)
        lines.append(line("  ", Span(name), Span(f"  {source}  {seen}  ", "dim"), Span(fact.src.quote)))
    return paint(lines, colour)
