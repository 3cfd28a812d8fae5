"""`unstuck explain [CAUSE]`."""

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
    """A cause's page: how it happens, how to tell, its known limits. Without CAUSE: every cause by family.

\b
  unstuck explain
  unstuck explain file.immutable --lang zh
  unstuck explain -o json
""",
    """一个原因的页面：成因、如何判断、已知局限。不给出 CAUSE 时：按类别列出全部原因。

\b
  unstuck explain
  unstuck explain file.immutable --lang zh
  unstuck explain -o json
""",
)


@command_of("explain", HELP)
@click.argument("cause", required=False, shell_complete=complete.causes)
@options.shape
def command(cause: str | None, output: Output, lang: Lang) -> int:
    """Answers `unstuck explain`."""
    from unstuck.cli.pages import explain_cause, list_causes

    return explain_cause(cause, output, lang) if cause else list_causes(output, lang)
