"""`unstuck collect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import cluster_options, complete, evidence_options, options
from unstuck.cli.bilingual_help import bilingual_command, option, paragraphs, verbatim
from unstuck.cli.misuse import Misuse
from unstuck.facts.text import Messages, same_in_both

if TYPE_CHECKING:
    from unstuck.cli.connection import ClusterOptions, EvidenceOptions
    from unstuck.cli.lang import Lang

say = Messages(__name__)

HELP = paragraphs(
    say("One file of what `why` would use, for an answer elsewhere: `unstuck read FILE` gives the same one."),
    say(
        "Without an object: the Namespace, or with -A the cluster; the worst is looked at closely, nodes "
        "included. It holds observations: no Secret's value, no environment, no command line. FILE "
        "appears only when it is whole."
    ),
    verbatim(
        same_in_both("""  unstuck collect pod/web-0 -n shop -o web-0.tar.gz
  unstuck collect -n shop -o shop.tar.gz
  unstuck collect -A --redact -o cluster.tar.gz
  unstuck read cluster.tar.gz""")
    ),
    say("Exit status: 0 written · 3 usage error, no access or FILE not written"),
)


@bilingual_command("collect", HELP)
@click.argument("subject", nargs=-1, metavar="[KIND/NAME | KIND NAME]", shell_complete=complete.objects)
@option(
    "-o",
    "--output",
    "file",
    required=True,
    type=click.Path(),
    metavar="FILE",
    help=say("The file to write, a tar.gz."),
)
@option("-A", "--all-namespaces", "everywhere", is_flag=True, help=say("The whole cluster."))
@option(
    "--redact",
    is_flag=True,
    help=say("Replace names, addresses, images and unknown words; tells what was replaced."),
)
@option("--overwrite", is_flag=True, help=say("Replace FILE if it exists."))
@cluster_options.cluster
@options.lang
@options.after
@evidence_options.sight
def command(
    *,
    subject: tuple[str, ...],
    file: str,
    everywhere: bool,
    redact: bool,
    overwrite: bool,
    place: ClusterOptions,
    lang: Lang,
    after: float | None,
    sight: EvidenceOptions,
) -> int:
    """Answer `unstuck collect`."""
    from unstuck.cli.collect import CollectRequest, collect

    if everywhere and (place.namespace or subject):
        raise Misuse(say("-A goes with neither -n nor an object"))
    return collect(CollectRequest(subject, everywhere, file, place, sight, lang, after, redact, overwrite))
