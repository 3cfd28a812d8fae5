"""`unstuck demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang


@click.command("demo")
@click.argument("name", required=False)
@click.option("--list", "listed", is_flag=True, help="Only the names of the records.")
@options.answer
@options.explained
def command(name: str | None, listed: bool, output: Output, lang: Lang, explain: bool) -> int:
    """Incidents recorded on a real cluster, each answered from its record. Needs no cluster and no rights.

    \b
      unstuck demo
      unstuck demo --list
      unstuck demo file-immutable --lang zh

    Exit status 0; with NAME that of its answer.
    """
    from unstuck.cli.answers import Shape
    from unstuck.cli.demo import play_all, play_one, print_names

    shape = Shape(output, lang, explain)
    if listed:
        return print_names()
    return play_one(name, shape) if name else play_all(shape)
