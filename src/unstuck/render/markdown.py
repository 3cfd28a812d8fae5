"""An answer as Markdown, for an issue or a chat: nothing of it is taken for markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unstuck.diagnosis.answer import Answer
from unstuck.render.document import Block, Document, Item, Part, document_of
from unstuck.render.words import Lang

_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$-])")
# Text that GitHub, GitLab and others turn into a link or a mention without markup (GFM 6.9); a comment behind it prevents that.
_LINKED = re.compile(r"@(?=\w)|:(?=//)|(?i:\bwww)(?=\.)")
MEMBERS = 10


def markdown(report: Answer, lang: Lang, *, members: bool = False, title: str = "unstuck scan", survey: bool = True) -> str:
    """Return the whole page. members: all of each incident, else the first few. survey: as for `document_of`."""
    return "\n".join(_lines(document_of(report, lang, title, survey=survey), members)) + "\n"


def _lines(d: Document, members: bool) -> Iterator[str]:
    yield f"# {plain(d.title)}"
    yield f"\n**{plain(d.head)}**  \n{plain(' · '.join(d.about))}"
    if d.entries:
        yield "\n| # | | {} | {} | {} |".format(*map(plain, d.columns))
        yield "|--:|---|---|---|--:|"
        for e in d.entries:
            yield f"| {e.number} | {plain(e.sure_says)} | {plain(e.whom)} | {plain(e.why)} | {plain(e.since)} |"
    for block in d.blocks:
        yield from _block(block, d, members)
    for part in d.rest:
        yield f"\n## {plain(part.label)}\n"
        yield from (f"- {plain(item.says)}" for item in part.items)


def _block(block: Block, d: Document, members: bool) -> Iterator[str]:
    number = f"{block.number} · " if block.number else ""
    sure = f" ({block.sure_says})" if block.sure == "open" else ""
    if d.entries or len(d.blocks) > 1:
        yield f"\n## {plain(f'{number}{block.heading}{sure}')}"
    for part in block.parts:
        yield from _part(part, d)
    for heading, names in block.members:
        shown = names if members else names[:MEMBERS]
        yield f"\n**{plain(heading)} ({len(names)})**\n"
        yield from (f"- {plain(name)}" for name in shown)
        if len(shown) < len(names):
            yield f"- … {len(names) - len(shown)}"


def _part(part: Part, d: Document) -> Iterator[str]:
    yield f"\n**{plain(part.label)}**\n"
    for item in part.items:
        yield f"- {_item(item, d)}"


def _item(item: Item, d: Document) -> str:
    """Write one line: what it is and how risky, where it is run, the command, how to take it back, and what then happens."""
    risk = f"**{plain(item.risk)}**" if item.risky in ("loses-data", "disrupts") else plain(item.risk)
    # Spans of code are commands, and nothing else is.
    says = plain(item.says)
    run = " ".join(filter(None, (plain(item.where), code(item.command) if item.command else "")))
    undo = f"{plain(d.undo)} {code(item.undo)}" if item.undo else ""
    then = plain(d.then + item.then) if item.then else ""
    sure = f"**{plain(item.sure_says)}** " if item.sure else ""
    return sure + " · ".join(filter(None, (says, risk, run, undo, then, *map(plain, item.aside))))


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
