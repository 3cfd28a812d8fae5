"""`unstuck replay FILE`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options
from unstuck.cli.bilingual_help import bilingual_command, paragraphs, verbatim
from unstuck.facts.text import Messages, same_in_both

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang

say = Messages(__name__)

HELP = paragraphs(
    say("Answers again from a saved Snapshot: the same bytes as when it was saved, in either language."),
    verbatim(
        same_in_both("""  unstuck why pod/web-0 --save web-0.json.gz
  unstuck replay web-0.json.gz
  unstuck replay web-0.json.gz --lang zh -o json""")
    ),
    say("Exit status as for `why`; 3 where the file is no Snapshot."),
)


@bilingual_command("replay", HELP)
@click.argument("file", type=click.Path())
@options.answer
@options.explain
@options.everything
def command(file: str, output: Output, lang: Lang, explain: bool, everything: bool) -> int:
    """Answer `unstuck replay`."""
    from unstuck.api.replaying import replay
    from unstuck.cli.answers import OutputOptions, answer, tell

    report = replay(file)
    tell(report.notes, lang)
    return answer(report, OutputOptions(output, lang, explain, everything=everything))
