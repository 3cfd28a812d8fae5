"""`unstuck demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import complete, options
from unstuck.cli.bilingual_help import bilingual_command, option, paragraphs, verbatim
from unstuck.facts.text import Messages, same_in_both

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang

say = Messages(__name__)

HELP = paragraphs(
    say(
        "Incidents recorded on a real cluster, each answered from its record. Needs no cluster and no rights."
    ),
    verbatim(
        same_in_both("""  unstuck demo
  unstuck demo --list
  unstuck demo file-immutable --lang zh""")
    ),
    say("Exit status 0; with NAME that of its answer."),
)


@bilingual_command("demo", HELP)
@click.argument("name", required=False, shell_complete=complete.records)
@option(
    "--all",
    "every",
    is_flag=True,
    help=say("All records, one after the other; with NAME all of its answer."),
)
@option("--list", "listed", is_flag=True, help=say("Only the names of the records."))
@options.answer
@options.explain
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
