"""`unstuck version`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.cli import cluster_options, options
from unstuck.cli.bilingual_help import bilingual_command, option, paragraphs, verbatim
from unstuck.facts.text import Messages, same_in_both

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.connection import ClusterOptions
    from unstuck.cli.lang import Lang

say = Messages(__name__)

HELP = paragraphs(
    say("The version of unstuck, and the server's where it can be reached."),
    verbatim(
        same_in_both("""  unstuck version
  unstuck version --client
  unstuck version -o json""")
    ),
    say("Exit status 0, also where no server is reached."),
)


@bilingual_command("version", HELP)
@option("--client", is_flag=True, help=say("Only the version of unstuck; no server is asked."))
@cluster_options.cluster
@options.shape
def command(client: bool, place: ClusterOptions, output: Output, lang: Lang) -> int:
    """Answer `unstuck version`."""
    from unstuck.cli.version import print_versions

    return print_versions(None if client else place, output, lang)
