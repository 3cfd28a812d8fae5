"""`unstuck demo`."""

from __future__ import annotations

import click

from unstuck.cli import options


@click.command("demo")
@click.argument("name", required=False)
@click.option("--list", "listed", is_flag=True, help="Only the names of the records.")
@options.shape
@options.explained
def command(name: str | None, listed: bool, output: str, lang: str, explain: bool) -> int:
    r"""Incidents recorded on a real cluster, each answered from its record. Needs no cluster and no rights.

    \b
      unstuck demo
      unstuck demo --list
      unstuck demo file-immutable --lang zh

    Exit status 0; with NAME that of its answer.
    """
    from unstuck.cli.answers import Shape  # noqa: PLC0415
    from unstuck.cli.demo import play_all, play_one, print_names  # noqa: PLC0415

    shape = Shape(output, lang, explain)  # type: ignore[arg-type]
    if listed:
        return print_names()
    return play_one(name, shape) if name else play_all(shape)
