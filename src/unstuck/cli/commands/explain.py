"""`unstuck explain [CAUSE | WORD…]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import complete, options
from unstuck.cli.bilingual_help import bilingual_command, paragraphs, verbatim
from unstuck.facts.text import Messages, same_in_both

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang

say = Messages(__name__)

HELP = paragraphs(
    say("A cause's page: how it happens, how to tell, its known limits."),
    say("Words find the causes that speak of them; without any: every cause by family."),
    verbatim(
        same_in_both("""  unstuck explain
  unstuck explain file.immutable --lang zh
  unstuck explain oom
  unstuck explain image
  unstuck explain -o json""")
    ),
)


@bilingual_command("explain", HELP)
@click.argument("words", nargs=-1, metavar="[CAUSE | WORD…]", shell_complete=complete.causes)
@options.shape
def command(words: tuple[str, ...], output: Output, lang: Lang) -> int:
    """Answer `unstuck explain`."""
    from unstuck.cli.pages import explain_word, list_causes

    return explain_word(" ".join(words), output, lang) if words else list_causes(output, lang)
