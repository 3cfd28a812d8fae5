"""`--explain`: every evaluated cause with its signs, the facts behind them, and the judgement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from unstuck.diagnosis.answer import Answer, Diagnosis, Evaluation
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import told_apart
from unstuck.diagnosis.verdict import Match, RuledOut, Verdict
from unstuck.facts.core import Fact
from unstuck.render.cells import Line, Span, Style, cut, line, pad, paint
from unstuck.render.evidence import place
from unstuck.render.page import Page
from unstuck.render.text import lay_out_headline
from unstuck.render.visible import visible
from unstuck.render.words import Lang, word

FACTS = 6
_BELOW = Span(" " * 23)
_VALUES: dict[bool | None, tuple[str, Style]] = {
    True: ("yes", "good"),
    False: ("no", "bad"),
    None: ("not_known", "warn"),
}


def explain(report: Answer, lang: Lang, width: int, colour: bool) -> str:
    """Print each diagnosis' causes: matched ones first, then open ones, then ruled out ones."""
    page = Page(lang, max(60, width), report.at)
    lines: list[Line] = []
    for i, diagnosis in enumerate(report.diagnoses):
        lines += [line()] if i else []
        lines += lay_out_headline((diagnosis,), page)
        # Many signs share a fact.
        quoted = cache(lambda fact: _fact(fact, page))
        for explained in sorted(diagnosis.explained, key=lambda e: (_rank(e.verdict), e.id, e.subject.key)):
            lines += [line(), *_render_cause(explained, diagnosis, page, quoted)]
    return paint(lines, colour)


def _rank(verdict: Verdict) -> int:
    if isinstance(verdict, Match):
        return 0 if verdict.confidence == "proven" else 1
    return 4 if isinstance(verdict, RuledOut) else 2 if verdict.possible else 3


def _render_cause(e: Evaluation, d: Diagnosis, page: Page, quoted: Callable[[Fact], Line]) -> list[Line]:
    rank = _rank(e.verdict)
    word = page.word(("proven", "likely", "judged_possible", "judged_undecided", "ruled_out")[rank])
    style: Style = ("bad", "warn", "warn", "", "dim")[rank]
    about = "" if e.subject == d.subject else f"  {told_apart(e.subject)}"
    lines = [line(Span(e.id, "bold"), "  ", Span(word, style), Span(about, "dim"))]
    gate: Sign[Any] = Sign(e.gate)
    lines += _sign("gate", "", gate, page, quoted) + _sign("applies", "", e.signs.applies, page, quoted)
    for group in ("necessary", "decisive", "supporting"):
        for name, sign in getattr(e.signs, group).items():
            lines += _sign(group, name, sign, page, quoted)
    return lines


def _sign(group: str, name: str, sign: Sign[Any], page: Page, quoted: Callable[[Fact], Line]) -> list[Line]:
    lines = [_read(group, name, sign.value, sign.sure, page.lang)]
    lines += map(quoted, sign.seen[:FACTS])
    if len(sign.seen) > FACTS:
        lines.append(line(_BELOW, Span(page.word("more", n=len(sign.seen) - FACTS), "dim")))
    if sign.value is None:
        lines += [line(_BELOW, Span(page.word("asks", what=str(w)), "warn")) for w in sign.wants[:FACTS]]
    return lines


@cache
def _read(group: str, name: str, value: bool | None, sure: bool, lang: Lang) -> Line:
    """Return a sign's text, cached because many objects share it."""
    key, style = _VALUES[value]
    assumed = "" if sure else f"  ({word('assumed', lang)})"
    return line(
        Span(pad(f"  {word(group, lang)}", 14), "dim"),
        Span(pad(word(key, lang), 9), style),
        Span(name + assumed),
    )


def _fact(fact: Fact, page: Page) -> Line:
    source, at = place(fact)
    partial = "" if fact.whole else " ~"
    quote = cut(visible(fact.src.quote), max(40, page.width))
    return line(_BELOW, Span(f"{type(fact).__name__}{partial}  {source}  {at}  ", "dim"), Span(quote))


def lay_out_by_family(rows: Sequence[tuple[str, str]], colour: bool) -> str:
    """Return the ids with their titles, by family. rows: (id, title in this language)."""
    lines: list[Line] = []
    width = max((len(id_) for id_, _ in rows), default=0)
    family = ""
    for id_, title in sorted(rows):
        if id_.partition(".")[0] != family:
            family = id_.partition(".")[0]
            lines += [line()] if lines else []
            lines.append(line(Span(family, "bold")))
        lines.append(line(Span("  " + pad(id_, width + 2), "command"), Span(title)))
    return paint(lines, colour)


def lay_out_matches(rows: Sequence[tuple[str, str]], colour: bool) -> str:
    """Return the ids with their titles, in this order. rows: (id, title in this language)."""
    width = max((len(id_) for id_, _ in rows), default=0)
    return paint([line(Span(pad(id_, width + 2), "command"), Span(title)) for id_, title in rows], colour)


def lay_out_page(id_: str, page_text: str, colour: bool) -> str:
    """Return a cause's published page with highlighted headings, otherwise verbatim."""
    lines: list[Line] = [line(Span(id_, "command"))]
    for raw in page_text.strip().splitlines():
        style: Style = "bold" if raw.startswith("#") or len(lines) == 1 else ""
        lines.append(line(Span(raw.lstrip("# ") if raw.startswith("#") else raw, style)))
    return paint(lines, colour)
