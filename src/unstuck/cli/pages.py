"""`explain`: prints the pages of causes."""

from __future__ import annotations

from unstuck.api.pages import CausePage, causes, look_up
from unstuck.cli import pager, terminal
from unstuck.cli.answers import Output, dump_document, tell
from unstuck.cli.lang import Lang
from unstuck.facts.text import Messages
from unstuck.render.explain import lay_out_by_family, lay_out_matches, lay_out_page
from unstuck.render.words import in_lang

say = Messages(__name__)

MOST = 20


def explain_word(word: str, output: Output, lang: Lang) -> int:
    """Print the page of the cause with this id, else the causes that mention the words. Errors: NotFound with
    the nearest ids.
    """
    found = look_up(word)
    if len(found) == 1:
        return _print_page(found[0], output, lang)
    if output != "text":
        terminal.emit(dump_document([page.to_document() for page in found], output))
        return 0
    family = len({page.family for page in found}) == 1
    shown = found if family else found[:MOST]
    pager.show(lay_out_matches([(page.id, in_lang(page.title, lang)) for page in shown], terminal.colour()))
    if more := len(found) - len(shown):
        said = say("{more} more speak of it; say more words, or a cause's id", more=more)
        tell([said], lang)
    return 0


def _print_page(page: CausePage, output: Output, lang: Lang) -> int:
    if output == "text":
        pager.show(lay_out_page(page.id, page.to_markdown(lang), terminal.colour()))
    else:
        terminal.emit(dump_document(page.to_document(), output))
    return 0


def list_causes(output: Output, lang: Lang) -> int:
    """Print every cause by family."""
    pages = causes()
    if output == "text":
        pager.show(lay_out_by_family([(p.id, in_lang(p.title, lang)) for p in pages], terminal.colour()))
    else:
        terminal.emit(dump_document([p.to_document() for p in pages], output))
    return 0
