"""`unstuck node`."""

from __future__ import annotations

import click

from unstuck.cli import options


@click.command("node")
@click.option("--here", is_flag=True, help="This machine; the only one that can be looked at so far.")
@click.option("--root", default="/", metavar="DIR", type=click.Path(), help="Where the node's root is: /, a mounted host, a recorded tree.")
@click.option("--pod", metavar="UID", help="Look closely at this Pod (its metadata.uid).")
@click.option("--touch", is_flag=True, help="Also touch its network and FUSE mounts: a process may wait there until they answer.")
@options.shape
@options.saved
def command(here: bool, root: str, pod: str | None, touch: bool, output: str, lang: str, save: str | None) -> int:
    r"""What this node shows, passively: processes, mounts, file flags, the kubelet's log. Needs root to see everything.

    \b
      unstuck node --here --pod 9e964fdf-…           what holds this Pod here
      unstuck node --here --pod 9e964fdf-… -o json   for `unstuck why … --facts FILE` elsewhere

    Nothing is changed, and without --touch no path that may hang is touched.
    Exit status as for `why` with the evidence of the node alone; 3 where nothing can be read.
    """
    from unstuck.cli.answers import Shape  # noqa: PLC0415
    from unstuck.cli.node import Node, node  # noqa: PLC0415

    if not here:
        raise click.UsageError("say --here: only the machine that this runs on can be looked at")
    return node(Node(root, pod, Shape(output, lang), save, touch))  # type: ignore[arg-type]
