"""`unstuck explain [CAUSE | WORD…]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import complete, options
from unstuck.cli.bilingual import command_of
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang


HELP = Text(
    """A cause's page: how it happens, how to tell, its known limits.

Words find the causes that speak of them; without any: every cause by family.

\b
  unstuck explain
  unstuck explain file.immutable --lang zh
  unstuck explain oom
  unstuck explain image
  unstuck explain -o json
""",
    """一个原因的页面：成因、如何判断、已知局限。给出词语时：列出提到它们的原因。什么都不给出时：按类别列出全部原因。

\b
  unstuck explain
  unstuck explain file.immutable --lang zh
  unstuck explain oom
  unstuck explain image
  unstuck explain -o json
""",
)


@command_of("explain", HELP)
@click.argument("words", nargs=-1, metavar="[CAUSE | WORD…]", shell_complete=complete.causes)
@options.shape
def command(words: tuple[str, ...], output: Output, lang: Lang) -> int:
    """Answer `unstuck explain`."""
    from unstuck.cli.pages import explain_word, list_causes

    return explain_word(" ".join(words), output, lang) if words else list_causes(output, lang)
