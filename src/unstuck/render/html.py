"""An answer as one self-contained HTML page: no script, no request, every text escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby

from unstuck.diagnosis.answer import Answer
from unstuck.render.document import Block, Document, Item, build_document
from unstuck.render.style import STYLE
from unstuck.render.words import Lang

# The page may load nothing; the browser enforces this policy even if an escape is missing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def write_html(
    report: Answer, lang: Lang, *, members: bool = False, title: str = "unstuck scan", survey: bool = True
) -> str:
    """Return the whole page. members: whether each incident's members are unfolded. survey: as in
    `build_document`.
    """
    return "\n".join(_render_lines(build_document(report, lang, title, survey=survey), lang, members)) + "\n"


def _render_lines(d: Document, lang: Lang, members: bool) -> Iterator[str]:
    yield f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">'
    yield (
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" '
        'content="light dark">'
    )
    yield f"<title>{escape(d.title)}: {escape(d.head)}</title><style>{STYLE}</style></head><body>"
    # A single answer's headline is the page's heading.
    alone = not d.entries and len(d.blocks) == 1
    yield f'<h1>{escape(d.head)}</h1><p class="d">{escape(" · ".join(d.about))}</p>'
    yield from _render_table(d) if d.entries else ()
    for block in d.blocks:
        yield from _block(block, d, members, alone)
    for part in d.rest:
        rows = "".join(f"<li>{escape(item.says)}</li>" for item in part.items)
        yield f'<section class="n"><h2>{escape(part.label)}</h2><ul>{rows}</ul></section>'
    yield "</body></html>"


def _render_table(d: Document) -> Iterator[str]:
    whom, why, since = map(escape, d.columns)
    yield (
        f"<table><thead><tr><th>#</th><th></th><th>{whom}</th><th>{why}</th><th "
        f'class="s">{since}</th></tr></thead>'
    )
    for trouble, rows in groupby(d.entries, key=lambda e: e.trouble):
        yield f'<tbody><tr class="g"><th colspan="5">{escape(trouble)}</th></tr>'
        for e in rows:
            yield (
                '<tr><td class="k"><a '
                f'href="#i{e.number}">{e.number}</a></td><td>{_badge(e.sure, e.sure_says)}</td>'
                f'<td class="m">{escape(e.whom)}</td><td>{escape(e.why)}</td><td '
                f'class="s">{escape(e.since)}</td></tr>'
            )
        yield "</tbody>"
    yield "</table>"


def _block(block: Block, d: Document, members: bool, alone: bool) -> Iterator[str]:
    anchor, number = (f' id="i{block.number}"', f"{block.number} · ") if block.number else ("", "")
    badge = f" {_badge(block.sure, block.sure_says)}" if block.sure == "open" else ""
    heading = "" if alone else f"<h2>{escape(number + block.heading)}{badge}</h2>"
    yield f'<section{anchor} class="{block.sure or "n"}">{heading}<dl>'
    for part in block.parts:
        yield f'<dt class="{part.key}">{escape(part.label)}</dt><dd>'
        yield from (_item(item, d) for item in part.items)
        yield "</dd>"
    yield "</dl>"
    for name, refs in block.members:
        shown = "".join(f"<li>{escape(ref)}</li>" for ref in refs)
        yield (
            f"<details{' open' if members else ''}><summary>{escape(name)} ({len(refs)})</summary><ul "
            f'class="m">{shown}</ul></details>'
        )
    yield "</section>"


def _badge(sure: str, says: str) -> str:
    return f'<span class="b {sure}">{escape(says)}</span>'


def _item(item: Item, d: Document) -> str:
    """Write an item: the instruction with its risk, the command with its host, the undo, and the effect."""
    kind = ' class="m"' if item.quoted else ""
    risk = f' <span class="r {item.risky}">{escape(item.risk)}</span>' if item.risk else ""
    aside = f' <span class="d">{escape(" · ".join(item.aside))}</span>' if item.aside else ""
    sure = f"{_badge(item.sure, item.sure_says)} " if item.sure else ""
    says = f"<p{kind}>{sure}{escape(item.says)}{risk}{aside}</p>" if item.says or risk or aside else ""
    run = _command(item.where, item.command) if item.command else ""
    undo = _command(d.undo, item.undo) if item.undo else ""
    then = f'<p class="d">{escape(d.then)}{escape(item.then)}</p>' if item.then else ""
    return says + run + undo + then


def _command(before: str, line: str) -> str:
    """Write a command so that one click selects exactly the command."""
    host = f'<span class="h">{escape(before)}</span> ' if before else ""
    return f'<div class="c">{host}<code>{escape(line)}</code></div>'
