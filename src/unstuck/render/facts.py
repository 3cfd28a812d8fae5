"""Facts as lines, with their sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unstuck.diagnosis.text import told_apart
from unstuck.facts.core import Fact
from unstuck.render.cells import Line, Span, line, pad, paint
from unstuck.render.evidence import place
from unstuck.render.words import Lang, word

MISSED = 30
# The format name for text that repeats another part of the bundle verbatim.
AGAIN = "again"


def write_facts(
    facts: Iterable[Fact],
    lang: Lang,
    colour: bool,
    missed: Sequence[str] = (),
    understood: Sequence[tuple[str, str]] = (),
) -> str:
    """Return one fact a line, by subject: its type, `~` if it is not whole, its place and its words.

    missed: unrecognised places of a text. understood: (format, place) of the recognised ones.
    """
    lines: list[Line] = []
    last = ""
    for fact in sorted(facts, key=lambda f: (f.about.key, type(f).__name__, repr(f))):
        about = told_apart(fact.about)
        if about != last:
            lines += [line()] if lines else []
            lines.append(line(Span(about, "bold")))
            last = about
        source, seen = place(fact)
        name = pad(type(fact).__name__ + ("" if fact.whole else " ~"), 20)
        lines.append(line("  ", Span(name), Span(f"  {source}  {seen}  ", "dim"), Span(fact.src.quote)))
    if understood:
        by: dict[str, list[str]] = {}
        for form, where in understood:
            by.setdefault(form, []).append(where)
        lines += [line()] if lines else []
        for form, places in by.items():
            shown = ", ".join(places[:MISSED]) + (" …" if len(places) > MISSED else "")
            told = (
                word("again", lang, where=shown)
                if form == AGAIN
                else word("understood", lang, form=form, where=shown)
            )
            lines.append(line(Span(told, "dim")))
    if missed:
        shown = ", ".join(missed[:MISSED]) + (" …" if len(missed) > MISSED else "")
        lines += [line(), line(Span(word("missed", lang, where=shown), "dim"))]
    return paint(lines, colour)
