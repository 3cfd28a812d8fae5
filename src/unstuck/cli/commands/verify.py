"""`unstuck verify FILE`."""

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
    say(
        "A proof judged again, without a cluster: whether its cause follows from its facts, and which of "
        "them, taken away, would end it."
    ),
    say(
        "FILE is what `-o proof` has written: the fewest facts from which the first cause follows. A "
        "Snapshot of --save is held to its own cause."
    ),
    verbatim(
        same_in_both("""  unstuck why pod/web-0 -o proof > web-0.json
  unstuck verify web-0.json
  unstuck replay web-0.json""")
    ),
    say(
        "Exit status: 0 what is claimed follows · 1 it does not · 3 the file cannot "
        "be read, or claims nothing"
    ),
)


@bilingual_command("verify", HELP)
@click.argument("file", metavar="FILE|-", type=click.Path())
@options.shape
def command(file: str, output: Output, lang: Lang) -> int:
    """Answer `unstuck verify`."""
    from unstuck.cli.answers import OutputOptions
    from unstuck.cli.verify import verify

    return verify(file, OutputOptions(output, lang))
