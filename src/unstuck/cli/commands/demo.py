"""`unstuck demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import complete, options
from unstuck.cli.bilingual import command_of, option
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang


HELP = Text(
    """Incidents recorded on a real cluster, each answered from its record. Needs no cluster and no rights.

\b
  unstuck demo
  unstuck demo --list
  unstuck demo file-immutable --lang zh

Exit status 0; with NAME that of its answer.
""",
    """在真实集群上录制的事件，逐一根据其记录作答。不需要集群，也不需要任何权限。

\b
  unstuck demo
  unstuck demo --list
  unstuck demo file-immutable --lang zh

退出状态为 0；给出 NAME 时为其回答的退出状态。
""",
)


@command_of("demo", HELP)
@click.argument("name", required=False, shell_complete=complete.records)
@option(
    "--all",
    "every",
    is_flag=True,
    help=Text("All records, one after the other; with NAME all of its answer.", "逐一显示全部记录；给出 NAME 时显示其完整回答。"),
)
@option("--list", "listed", is_flag=True, help=Text("Only the names of the records.", "仅列出记录的名称。"))
@options.answer
@options.explained
def command(name: str | None, every: bool, listed: bool, output: Output, lang: Lang, explain: bool) -> int:
    """Answer `unstuck demo`."""
    from unstuck.cli.answers import OutputOptions
    from unstuck.cli.demo import play_all, play_first, play_one, print_names

    shape = OutputOptions(output, lang, explain, everything=every and name is not None)
    if listed:
        return print_names()
    if name:
        return play_one(name, shape)
    return play_all(shape) if every else play_first(shape)
