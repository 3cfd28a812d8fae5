"""`explain`: prints the pages of causes."""

from __future__ import annotations

from unstuck.api.pages import causes, explain
from unstuck.cli import pager, terminal
from unstuck.cli.answers import Output, dumped
from unstuck.cli.lang import Lang
from unstuck.render.explain import cause_page, causes_list
from unstuck.render.words import in_lang


def explain_cause(id_: str, output: Output, lang: Lang) -> int:
    """Print one cause's page. Errors: NotFound with the nearest ids."""
    page = explain(id_)
    text = cause_page(page.id, page.to_markdown(lang), terminal.colour()) if output == "text" else dumped(page.to_document(), output)
    pager.show(text)
    return 0


def list_causes(output: Output, lang: Lang) -> int:
    """Print every cause by family."""
    pages = causes()
    if output == "text":
        pager.show(causes_list([(p.id, in_lang(p.title, lang)) for p in pages], terminal.colour()))
    else:
        terminal.emit(dumped([p.to_document() for p in pages], output))
    return 0
