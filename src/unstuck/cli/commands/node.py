"""`unstuck node`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options
from unstuck.cli.lang import Duration
from unstuck.cli.misuse import Misuse
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang

HELP = """What a node shows, passively: processes, mounts, file flags, the kubelet's log. Needs root to see everything.

\b
  unstuck node --here --pod 9e964fdf-…           what holds this Pod here
  unstuck node --here --pod 9e964fdf-… -o json   for `unstuck why … --facts FILE` elsewhere
  unstuck node --script | ssh root@node-7 sh -s -- 9e964fdf-… > node-7.txt
  unstuck node --root node-7.txt --pod 9e964fdf-…

Nothing is changed, and without --touch no path that may hang is touched.
Exit status as for `why` with the evidence of the node alone; 3 where nothing can be read.
"""


@click.command("node", help=HELP)
@click.option("--here", is_flag=True, help="This machine.")
@click.option("--script", is_flag=True, help="Print the collector for hosts without Python, and do nothing else.")
@click.option(
    "--root", metavar="PATH", type=click.Path(), help="Where the node's root is: a mounted host, a recorded tree, what the script gave."
)
@click.option("--pod", metavar="UID", help="Look closely at this Pod (its metadata.uid).")
@click.option("--touch", is_flag=True, help="Also touch its network and FUSE mounts: a process may wait there until they answer.")
@click.option("--node-timeout", type=Duration(), metavar="D", help="At most D for the look (4.5s); a busy node may need 30s.")
@options.shape
@options.saved
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
    """See HELP."""
    from unstuck.cli.answers import Shape
    from unstuck.cli.node import Node, node, print_script

    if script:
        if here or root or pod:
            raise Misuse(
                Text(
                    "--script only prints; its arguments are given to sh: sh -s -- POD_UID",
                    "--script 只输出脚本；其参数交给 sh：sh -s -- POD_UID",
                )
            )
        return print_script()
    if not here and root is None:
        raise Misuse(
            Text(
                "say --here for this machine, --root PATH for what was recorded on another, or --script",
                "本机请用 --here，在别处录制的内容请用 --root PATH，或用 --script",
            )
        )
    return node(Node(root or "/", pod, Shape(output, lang), save, touch, node_timeout))
