"""An answer as Markdown, for an issue or a chat: its content contains no markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unstuck.diagnosis.answer import Answer
from unstuck.diagnosis.verdict import RISKY
from unstuck.render.document import Block, Document, Item, Part, build_document
from unstuck.render.words import Lang

_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$-])")
# Text that GitHub, GitLab and others turn into a link or a mention without markup (GFM 6.9), unless a comment
# follows it.
_LINKED = re.compile(r"@(?=\w)|:(?=//)|(?i:\bwww)(?=\.)")
MEMBERS = 10


def write_markdown(
    report: Answer, lang: Lang, *, members: bool = False, title: str = "unstuck scan", survey: bool = True
) -> str:
    """Return the whole page. members: whether to list all members of each incident, or the first few. survey:
    as in `build_document`.
    """
    return "\n".join(_render_lines(build_document(report, lang, title, survey=survey), members)) + "\n"


def _render_lines(d: Document, members: bool) -> Iterator[str]:
    yield f"# {escape_markdown(d.title)}"
    yield f"\n**{escape_markdown(d.head)}**  \n{escape_markdown(' · '.join(d.about))}"
    if d.entries:
        yield "\n| # | | {} | {} | {} |".format(*map(escape_markdown, d.columns))
        yield "|--:|---|---|---|--:|"
        for e in d.entries:
            cells = (e.number, *map(escape_markdown, (e.sure_says, e.whom, e.why, e.since)))
            yield f"| {' | '.join(cells)} |"
    for block in d.blocks:
        yield from _block(block, d, members)
    for part in d.rest:
        yield f"\n## {escape_markdown(part.label)}\n"
        yield from (f"- {escape_markdown(item.says)}" for item in part.items)


def _block(block: Block, d: Document, members: bool) -> Iterator[str]:
    number = f"{block.number} · " if block.number else ""
    sure = f" ({block.sure_says})" if block.sure == "open" else ""
    if d.entries or len(d.blocks) > 1:
        yield f"\n## {escape_markdown(f'{number}{block.heading}{sure}')}"
    for part in block.parts:
        yield from _render_part(part, d)
    for heading, names in block.members:
        shown = names if members else names[:MEMBERS]
        yield f"\n**{escape_markdown(heading)} ({len(names)})**\n"
        yield from (f"- {escape_markdown(name)}" for name in shown)
        if len(shown) < len(names):
            yield f"- … {len(names) - len(shown)}"


def _render_part(part: Part, d: Document) -> Iterator[str]:
    yield f"\n**{escape_markdown(part.label)}**\n"
    for item in part.items:
        yield f"- {_item(item, d)}"


def _item(item: Item, d: Document) -> str:
    """Write an item as one line: the instruction with its risk, the host, the command, the undo, and the
    effect.
    """
    risk = f"**{escape_markdown(item.risk)}**" if item.risky in RISKY else escape_markdown(item.risk)
    # Commands are the only spans of code.
    says = escape_markdown(item.says)
    run = " ".join(
        filter(None, (escape_markdown(item.where), quote_code(item.command) if item.command else ""))
    )
    undo = f"{escape_markdown(d.undo)} {quote_code(item.undo)}" if item.undo else ""
    then = escape_markdown(d.then + item.then) if item.then else ""
    sure = f"**{escape_markdown(item.sure_says)}** " if item.sure else ""
    return sure + " · ".join(filter(None, (says, risk, run, undo, then, *map(escape_markdown, item.aside))))


def escape_markdown(text: str) -> str:
    """Return one line of text escaped for Markdown: no markup, no automatic link, no `@team` mention."""
    escaped = _MARKUP.sub(r"\\\1", " ".join(text.split()))
    return _LINKED.sub(lambda found: f"{found[0]}<!-- -->", escaped)


def quote_code(text: str) -> str:
    """Return a span of code with any content; `visible` has already removed line ends."""
    line = text
    ticks = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"
