"""The outcome of `verify`, as text and as a document."""

from __future__ import annotations

from typing import Any

from unstuck.diagnosis.proof import NeededFact, Verification
from unstuck.diagnosis.text import told_apart
from unstuck.facts.codec import to_json
from unstuck.render.cells import Line, Span, line, paint
from unstuck.render.evidence import place, shorten_longest_paths, shorten_paths
from unstuck.render.json import ref
from unstuck.render.page import Page
from unstuck.render.visible import visible
from unstuck.render.words import Lang


def write_verified(v: Verification, lang: Lang, width: int, colour: bool) -> str:
    """Return the verdict, its subject, and each supporting fact with the remaining verdict without it."""
    page = Page(lang, max(60, width), v.at)
    about = page.word(
        "rests_on",
        n=v.facts,
        who=told_apart(v.diagnosis.subject),
        at=v.at.strftime("%Y-%m-%d %H:%M:%SZ"),
        tool=v.tool,
    )
    if v.told is None or not v.holds:
        return paint(
            [line(Span("✗ ", "bad"), Span(_other(v, page), "bold")), line(Span("  " + about, "dim"))], colour
        )
    says = f"{page.word(v.told.confidence)}  {shorten_longest_paths(page.text(v.told.finding.says))}"
    lines: list[Line] = [
        line(Span("✓ ", "good"), Span(says, "bold"), Span(f"  {v.cause}", "dim")),
        line(Span("  " + about, "dim")),
        line(),
    ]
    lines += page.block(Span(""), page.word("without_each" if v.needed else "without_none"), "bold")
    for one in v.needed:
        lines += page.block(Span(page.word(_LEFT[one.left]), "warn"), _fact(one))
    return paint(lines, colour)


_LEFT = {"likely": "likely", "undecided": "judged_undecided", "ruled-out": "ruled_out", "proven": "proven"}


def _other(v: Verification, page: Page) -> str:
    claimed = f"{page.word(v.confidence) if v.confidence in ('proven', 'likely') else v.confidence} {v.cause}"
    if v.told is None:
        return page.word("follows_not", claimed=claimed)
    return page.word("follows_other", claimed=claimed, told=f"{page.word(v.told.confidence)} {v.told.id}")


def _fact(one: NeededFact) -> str:
    source, at = place(one.fact)
    return visible(
        (
            f"{type(one.fact).__name__} ({told_apart(one.fact.about)})  {source} {at}  "
            f"{shorten_paths(one.fact.src.quote)}"
        ).rstrip()
    )


def make_verified(v: Verification) -> dict[str, Any]:
    """Return the verification as plain values."""
    return {
        "tool": v.tool,
        "at": to_json(v.at),
        "subject": ref(v.diagnosis.subject),
        "claim": {"cause": v.cause, "confidence": v.confidence},
        "holds": v.holds,
        "found": {"cause": v.told.id, "confidence": v.told.confidence, "says": to_json(v.told.finding.says)}
        if v.told
        else None,
        "facts": v.facts,
        "needed": [_needed_document(one) for one in v.needed],
    }


def _needed_document(one: NeededFact) -> dict[str, Any]:
    source, at = place(one.fact)
    return {
        "fact": type(one.fact).__name__,
        "about": ref(one.fact.about),
        "source": source,
        "at": at,
        "quote": one.fact.src.quote,
        "without": one.left,
    }
