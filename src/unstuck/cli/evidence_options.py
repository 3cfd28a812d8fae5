"""Options that allow a look at more than the API server: this machine, a node, a registry, saved facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unstuck.cli.bilingual import as_one, option, together, under
from unstuck.cli.lang import Duration
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.cli.connecting import EvidenceOptions

C = TypeVar("C", bound=Callable[..., Any])

SIGHT = Text("What else may be looked at", "还可以查看什么")

_SIGHT = (
    option(
        "--here",
        is_flag=True,
        help=Text("Look at this machine too: it is the node that the object is on.", "同时查看本机：它就是该对象所在的节点。"),
    ),
    option(
        "--touch",
        is_flag=True,
        help=Text(
            "With --here: touch the Pod's network and FUSE mounts; a process may wait there until they answer.",
            "与 --here 合用：触碰该 Pod 的网络挂载与 FUSE 挂载；可能会有一个进程在那里一直等到它们应答。",
        ),
    ),
    option("--no-node", is_flag=True, help=Text("Answer without any node's evidence.", "不使用任何节点的证据作答。")),
    option(
        "--root",
        default="/",
        metavar="DIR",
        type=click.Path(),
        help=Text("With --here: where the node's root is mounted (/).", "与 --here 合用：节点的根目录挂载在何处（/）。"),
    ),
    option(
        "--node-timeout",
        type=Duration(),
        metavar="D",
        help=Text(
            "With --here: at most D for each look at it (4.5s); a busy node may need 30s.",
            "与 --here 合用：每次查看至多 D（4.5s）；繁忙的节点可能需要 30s。",
        ),
    ),
    option(
        "--ssh",
        metavar="HOST",
        help=Text(
            "Look at the node as you reach it by ssh; {node} in HOST is the Node's name.",
            "通过您的 ssh 查看节点；HOST 中的 {node} 代表节点名称。",
        ),
    ),
    option(
        "--probe",
        is_flag=True,
        help=Text(
            "Make a short-lived Pod on the node to look at it, if nothing else can; deleted afterwards.",
            "若别无他法，在节点上创建一个短时 Pod 来查看；用后即删。",
        ),
    ),
    option(
        "--probe-image",
        metavar="IMAGE",
        help=Text(
            "The Pod's image: that of the agent (else the installed agent's).", "该 Pod 的镜像：代理的镜像（否则用已安装的代理的镜像）。"
        ),
    ),
    option(
        "--probe-namespace",
        metavar="NS",
        help=Text(
            "The Pod's Namespace (unstuck-system; must be named where that is not there).",
            "该 Pod 的 Namespace（默认 unstuck-system；它不存在时必须指定）。",
        ),
    ),
    option(
        "--try-write",
        is_flag=True,
        help=Text(
            "Where a refused write would decide, try it as the server's dry run (needs the right to patch).",
            "若某次写入被拒绝与否即可定论，则以试运行（dry run）方式尝试（需要 patch 权限）。",
        ),
    ),
    # Its name of before: kubectl's --dry-run does less than without it, ours did more.
    option("--dry-run", is_flag=True, hidden=True, help=Text("The former name of --try-write.", "--try-write 的旧名。")),
    option(
        "--ask-registry",
        is_flag=True,
        help=Text(
            "Ask an image's registry which tags it has: from this machine, without credentials.",
            "向镜像仓库询问其有哪些标签：从本机发出，不带凭据。",
        ),
    ),
    option(
        "--facts", multiple=True, metavar="FILE", type=click.Path(), help=Text("Also use these saved facts.", "同时使用这些已保存的事实。")
    ),
)


def sight(f: C) -> C:
    """Return what else may be looked at, handed over as one `sight`. Errors: Misuse for what excludes each other."""
    return together(under(SIGHT, *_SIGHT), lambda given: as_one("sight", _sight_of, given))(f)


def _sight_of(
    *,
    here: bool,
    touch: bool,
    no_node: bool,
    root: str,
    node_timeout: float | None,
    ssh: str | None,
    probe: bool,
    probe_image: str | None,
    probe_namespace: str | None,
    try_write: bool,
    dry_run: bool,
    ask_registry: bool,
    facts: tuple[str, ...],
) -> EvidenceOptions:
    from unstuck.api.nodes import Nodes
    from unstuck.cli.connecting import EvidenceOptions
    from unstuck.cli.misuse import Misuse
    from unstuck.render.words import in_lang

    for given, word in ((here, "--here"), (ssh, "--ssh"), (probe, "--probe")):
        if given and no_node:
            raise Misuse(Text(f"{word} and --no-node exclude each other", f"{word} 与 --no-node 互相排斥"))
    if touch and not here:
        raise Misuse(Text("--touch needs --here: only mounts of this machine are touched", "--touch 需要 --here：只会触碰本机的挂载"))
    if node_timeout is not None and not here:
        raise Misuse(Text("--node-timeout needs --here", "--node-timeout 需要 --here"))
    nodes = Nodes(
        here=here,
        root=root,
        ssh=ssh,
        probe=probe,
        probe_image=probe_image,
        probe_namespace=probe_namespace,
        touch=touch,
        seconds=node_timeout,
    )
    if dry_run:
        renamed = Text("--dry-run is now called --try-write", "--dry-run 现在叫作 --try-write")
        click.echo(in_lang(renamed, click.get_current_context().find_root().obj), err=True)
    return EvidenceOptions(None if no_node else nodes, facts, try_write or dry_run, ask_registry)
