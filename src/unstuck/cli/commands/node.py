"""`unstuck node`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options
from unstuck.cli.bilingual_help import bilingual_command, option, paragraphs, verbatim
from unstuck.cli.duration import Duration
from unstuck.cli.misuse import Misuse
from unstuck.facts.text import Messages

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang

say = Messages(__name__)

HELP = paragraphs(
    say(
        "What a node shows, passively: processes, mounts, file flags, the kubelet's log. "
        "Needs root to see everything."
    ),
    verbatim(
        say("""  unstuck node --here --pod 9e964fdf-…           what holds this Pod here
  unstuck node --here --pod 9e964fdf-… -o json   for `unstuck why … --facts FILE` elsewhere
  unstuck node --script | ssh root@node-7 sh -s -- 9e964fdf-… > node-7.txt
  unstuck node --root node-7.txt --pod 9e964fdf-…""")
    ),
    say(
        "Nothing is changed, and without --touch no path that may hang is touched. Exit status as for `why` "
        "with the evidence of the node alone; 3 where nothing can be read."
    ),
)


@bilingual_command("node", HELP)
@option("--here", is_flag=True, help=say("This machine."))
@option(
    "--script",
    is_flag=True,
    help=say("Print the collector for hosts without Python, and do nothing else."),
)
@option(
    "--root",
    metavar="PATH",
    type=click.Path(),
    help=say("Where the node's root is: a mounted host, a recorded tree, what the script gave."),
)
@option("--pod", metavar="UID", help=say("Look closely at this Pod (its metadata.uid)."))
@option(
    "--touch",
    is_flag=True,
    help=say("Also touch its network and FUSE mounts: a process may wait there until they answer."),
)
@option(
    "--node-timeout",
    type=Duration(),
    metavar="D",
    help=say("At most D for the look (4.5s); a busy node may need 30s."),
)
@options.shape
@options.save
def command(
    *,
    here: bool,
    script: bool,
    root: str | None,
    pod: str | None,
    touch: bool,
    node_timeout: float | None,
    output: Output,
    lang: Lang,
    save: str | None,
) -> int:
    """Answer `unstuck node`."""
    from unstuck.cli.answers import OutputOptions
    from unstuck.cli.node import NodeRequest, node, print_script

    if script:
        if here or root or pod:
            raise Misuse(say("--script only prints; its arguments are given to sh: sh -s -- POD_UID"))
        return print_script()
    if not here and root is None:
        raise Misuse(
            say("say --here for this machine, --root PATH for what was recorded on another, or --script")
        )
    return node(NodeRequest(root or "/", pod, OutputOptions(output, lang), save, touch, node_timeout))
