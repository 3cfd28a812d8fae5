"""A scan as markdown, for an issue or a chat: nothing of it is taken for markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unstuck.diagnosis.answer import Report
from unstuck.render.document import Document, Leads, Shown, document_of
from unstuck.render.words import Lang

_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&-])")
# What GitHub, GitLab and others make a link or a ping of though no character of it is markup (GFM 6.9): a comment behind it ends that.
_LINKED = re.compile(r"@(?=\w)|:(?=//)|(?i:\bwww)(?=\.)")
MEMBERS = 10


def markdown(report: Report, lang: Lang, *, members: bool = False, title: str = "unstuck scan") -> str:
    """Return the whole page. members: all of each incident, else the first few."""
    return "\n".join(_lines(document_of(report, lang, title), members)) + "\n"


def _lines(d: Document, members: bool) -> Iterator[str]:
    yield f"# {plain(d.title)}"
    yield f"\n**{plain(d.head)}** ({plain(d.sources)}, {plain(d.at)})"
    for one in d.incidents:
        yield from _incident(one, d, members)
    if d.without:
        yield f"\n## {plain(d.word('no_cause_for'))}\n"
    for unexplained in d.without:
        yield f"- {plain(unexplained.headline)}"
        yield from (f"  {line}" for line in _leads(unexplained.leads, d))
    for heading, rows in d.rest:
        yield f"\n## {plain(heading)}\n"
        yield from (f"- {plain(text)}" for text in rows)


def _incident(one: Shown, d: Document, members: bool) -> Iterator[str]:
    yield f"\n## {plain(one.reach)}: {plain(one.says)}\n"
    yield " · ".join(plain(part) for part in (one.label, one.cause, one.since) if part)
    if one.evidence:
        yield f"\n{plain(d.word('seen'))}\n"
        yield from (f"- {plain(row)}" for row in one.evidence)
    if one.help:
        yield f"\n{plain(d.word('help'))}\n"
        yield from (f"- {plain(says)}" + (f" {code(command)}" if command else "") for says, command in one.help)
    if one.do_not:
        yield f"\n{plain(d.word('do_not'))}\n"
        yield from (f"- {plain(text)}" for text in one.do_not)
    yield from ("", *leads) if (leads := [*_leads(one.leads, d)]) else ()
    for heading, names in d.who(one):
        shown = names if members else names[:MEMBERS]
        yield f"\n{plain(heading)} ({len(names)})\n"
        yield from (f"- {plain(name)}" for name in shown)
        if len(shown) < len(names):
            yield "- …"
    yield f"\n{plain(d.word('closer'))}: {code(one.closer) if one.closer else plain(one.no_closer)}"


def _leads(leads: Leads, d: Document) -> Iterator[str]:
    yield from (f"- {plain(d.word('undecided'))}: {plain(row)}" for row in leads.causes)
    for where, line in leads.looks:
        yield " ".join(part for part in (f"- {plain(d.word('decide'))}:", plain(where), code(line) if line else "") if part)


def plain(text: str) -> str:
    """Return one line in which no character means anything to markdown: neither markup, nor an address that becomes a link, nor `@team`."""
    escaped = _MARKUP.sub(r"\\\1", " ".join(text.split()))
    return _LINKED.sub(lambda found: f"{found[0]}<!-- -->", escaped)


def code(text: str) -> str:
    """Return a span of code, whatever stands in it; `visible` has left no line's end in it."""
    line = text
    ticks = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"
