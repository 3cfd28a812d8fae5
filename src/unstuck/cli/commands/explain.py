"""`unstuck explain [CAUSE]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang


@click.command("explain")
@click.argument("cause", required=False)
@options.shape
def command(cause: str | None, output: Output, lang: Lang) -> int:
    """A cause's page: how it happens, how to tell, its known limits. Without CAUSE: every cause by family.

    \b
      unstuck explain
      unstuck explain file.immutable --lang zh
      unstuck explain -o json
    """
    from unstuck.cli.pages import explain_cause, list_causes

    return explain_cause(cause, output, lang) if cause else list_causes(output, lang)
