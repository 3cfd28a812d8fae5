"""`unstuck node`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options
from unstuck.cli.bilingual import command_of, option
from unstuck.cli.lang import Duration
from unstuck.cli.misuse import Misuse
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang

HELP = Text(
    """What a node shows, passively: processes, mounts, file flags, the kubelet's log. Needs root to see everything.

\b
  unstuck node --here --pod 9e964fdf-…           what holds this Pod here
  unstuck node --here --pod 9e964fdf-… -o json   for `unstuck why … --facts FILE` elsewhere
  unstuck node --script | ssh root@node-7 sh -s -- 9e964fdf-… > node-7.txt
  unstuck node --root node-7.txt --pod 9e964fdf-…

Nothing is changed, and without --touch no path that may hang is touched.
Exit status as for `why` with the evidence of the node alone; 3 where nothing can be read.
""",
    """被动查看节点：进程、挂载、文件标志、kubelet 日志。要看到全部内容需要 root。

\b
  unstuck node --here --pod 9e964fdf-…           此处是什么占住了该 Pod
  unstuck node --here --pod 9e964fdf-… -o json   供别处的 `unstuck why … --facts FILE` 使用
  unstuck node --script | ssh root@node-7 sh -s -- 9e964fdf-… > node-7.txt
  unstuck node --root node-7.txt --pod 9e964fdf-…

不作任何更改；没有 --touch 时，不触碰任何可能挂起的路径。
退出状态与 `why` 相同，仅凭节点的证据；没有可读取的内容时为 3。
""",
)


@command_of("node", HELP)
@option("--here", is_flag=True, help=Text("This machine.", "本机。"))
@option(
    "--script",
    is_flag=True,
    help=Text(
        "Print the collector for hosts without Python, and do nothing else.", "输出供没有 Python 的主机使用的收集脚本，此外不做任何事。"
    ),
)
@option(
    "--root",
    metavar="PATH",
    type=click.Path(),
    help=Text(
        "Where the node's root is: a mounted host, a recorded tree, what the script gave.",
        "节点的根目录在何处：挂载的主机、录制的目录树，或脚本的输出。",
    ),
)
@option("--pod", metavar="UID", help=Text("Look closely at this Pod (its metadata.uid).", "仔细查看此 Pod（其 metadata.uid）。"))
@option(
    "--touch",
    is_flag=True,
    help=Text(
        "Also touch its network and FUSE mounts: a process may wait there until they answer.",
        "同时触碰其网络挂载与 FUSE 挂载：可能会有一个进程在那里一直等到它们应答。",
    ),
)
@option(
    "--node-timeout",
    type=Duration(),
    metavar="D",
    help=Text("At most D for the look (4.5s); a busy node may need 30s.", "查看至多 D（4.5s）；繁忙的节点可能需要 30s。"),
)
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
    """Answer `unstuck node`."""
    from unstuck.cli.answers import OutputOptions
    from unstuck.cli.node import NodeRequest, node, print_script

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
    return node(NodeRequest(root or "/", pod, OutputOptions(output, lang), save, touch, node_timeout))
