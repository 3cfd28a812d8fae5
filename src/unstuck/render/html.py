"""A scan as one page of HTML that needs nothing else: no script, no request, every text escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from unstuck.diagnosis.answer import Report
from unstuck.render.document import Document, Leads, Shown, document_of
from unstuck.render.words import Lang

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222;background:#fff}"
    "section{border:1px solid #ccc;border-radius:6px;padding:.2em 1em .8em;margin:1em 0}h2{font-size:1.05em;overflow-wrap:anywhere}"
    ".b{font-weight:700}.d{color:#666}code,.e{font-family:ui-monospace,monospace;font-size:.9em;overflow-wrap:anywhere}code{white-space:pre-wrap}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}section{border-color:#444}.d{color:#999}}"
)
# What the page may load: nothing; a browser holds to it even if an escape were missing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def html(report: Report, lang: Lang, *, members: bool = False, title: str = "unstuck scan") -> str:
    """Return the whole page. members: those of each incident stand open, else they are folded."""
    return "\n".join(_lines(document_of(report, lang, title), lang, members)) + "\n"


def _lines(d: Document, lang: Lang, members: bool) -> Iterator[str]:
    yield f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">'
    yield f'<meta name="viewport" content="width=device-width"><title>{escape(d.title)}: {escape(d.head)}</title>'
    yield f"<style>{_STYLE}</style></head><body>"
    yield f'<h1>{escape(d.head)}</h1><p class="d">{escape(d.sources)} · {escape(d.at)}</p>'
    for one in d.incidents:
        yield from _incident(one, d, members)
    if d.without:
        items = "".join(f"<li>{escape(one.headline)}{_leads(one.leads, d)}</li>" for one in d.without)
        yield f"<section><h2>{escape(d.word('no_cause_for'))}</h2><ul>{items}</ul></section>"
    for heading, rows in d.rest:
        yield f"<section><h2>{escape(heading)}</h2>{_list(rows)}</section>"
    yield "</body></html>"


def _incident(one: Shown, d: Document, members: bool) -> Iterator[str]:
    yield f"<section><h2>{escape(one.reach)}: {escape(one.says)}</h2>"
    yield f'<p class="d"><span class="b">{escape(one.label)}</span> {escape(one.cause)} {escape(one.since)}</p>'
    if one.evidence:
        yield f'<p>{escape(d.word("seen"))}</p><div class="e">{_list(one.evidence)}</div>'
    if one.help:
        rows = "".join(f"<li>{escape(says)}{f' <code>{escape(run)}</code>' if run else ''}</li>" for says, run in one.help)
        yield f"<p>{escape(d.word('help'))}</p><ul>{rows}</ul>"
    if one.do_not:
        yield f"<p>{escape(d.word('do_not'))}</p>{_list(one.do_not)}"
    if leads := _leads(one.leads, d):
        yield leads
    for heading, names in d.who(one):
        summary = f"<summary>{escape(heading)} ({len(names)})</summary>"
        yield f"<details{' open' if members else ''}>{summary}{_list(names)}</details>"
    closer = f"<code>{escape(one.closer)}</code>" if one.closer else escape(one.no_closer)
    yield f"<p>{escape(d.word('closer'))}: {closer}</p></section>"


def _leads(leads: Leads, d: Document) -> str:
    undecided, decide = escape(d.word("undecided")), escape(d.word("decide"))
    rows = [f"<li>{undecided}: {escape(row)}</li>" for row in leads.causes]
    rows += [f"<li>{decide}: {escape(where)}{f' <code>{escape(line)}</code>' if line else ''}</li>" for where, line in leads.looks]
    return f"<ul>{''.join(rows)}</ul>" if rows else ""


def _list(texts: tuple[str, ...]) -> str:
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"
