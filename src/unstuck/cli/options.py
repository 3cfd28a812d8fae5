"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unstuck.cli.lang import Duration, language

if TYPE_CHECKING:
    from unstuck.cli.connecting import Sight

C = TypeVar("C", bound=Callable[..., Any])


def shape(f: C) -> C:
    """How an answer is printed: -o and --lang."""
    return shaped(("text", "json", "yaml"), "text (default), json or yaml.")(f)


def shaped(formats: Sequence[str], said: str) -> Callable[[C], C]:
    """-o with these formats, and --lang."""

    def options(f: C) -> C:
        return click.option("-o", "--output", type=click.Choice(list(formats)), default="text", help=said)(lang(f))

    return options


def lang(f: C) -> C:
    """--lang."""
    return click.option(
        "--lang",
        type=click.Choice(["en", "zh"]),
        default=lambda: language(os.environ),
        help="Language; else as LC_ALL, LC_MESSAGES, LANG say.",
    )(f)


def explained(f: C) -> C:
    """--explain instead of the answer."""
    return click.option("--explain", is_flag=True, help="Every sign of every cause, its facts and the judgement.")(f)


def cluster(f: C) -> C:
    """Which cluster, as kubectl has it."""
    f = click.option("--kubeconfig", metavar="FILE", help="As for kubectl; else KUBECONFIG, ~/.kube/config, or the Pod's own account.")(f)
    f = click.option("--context", metavar="NAME", help="A context of the kubeconfig.")(f)
    return click.option("-n", "--namespace", metavar="NS", help="The Namespace; else the context's.")(f)


def after(f: C) -> C:
    """--after: one threshold for all states."""
    return click.option("--after", type=Duration(), metavar="D", help="Call it stuck after D (30s, 5m) instead of the usual times.")(f)


def saved(f: C) -> C:
    """--save: the Snapshot of the answer."""
    return click.option(
        "--save",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        callback=_saving,
        help="Save what was seen (.gz: compressed), for replay.",
    )(f)


def _saving(_ctx: click.Context, _param: click.Parameter, path: str | None) -> str | None:
    """Before anybody waits for a cluster. Errors: InputError where anything but a regular file stands there."""
    if path is not None:
        from unstuck.collect.outfile import check_target

        check_target(path, replace=True)
    return path


_SIGHT = (
    click.option("--here", is_flag=True, help="Look at this machine too: it is the node that the object is on."),
    click.option(
        "--touch", is_flag=True, help="With --here: touch the Pod's network and FUSE mounts; a process may wait there until they answer."
    ),
    click.option("--no-node", is_flag=True, help="Answer without any node's evidence."),
    click.option("--root", default="/", metavar="DIR", type=click.Path(), help="With --here: where the node's root is mounted (/)."),
    click.option(
        "--node-timeout", type=Duration(), metavar="D", help="With --here: at most D for each look at it (4.5s); a busy node may need 30s."
    ),
    click.option("--ssh", metavar="HOST", help="Look at the node as you reach it by ssh; {node} in HOST is the Node's name."),
    click.option(
        "--probe", is_flag=True, help="Make a short-lived Pod on the node to look at it, if nothing else can; deleted afterwards."
    ),
    click.option("--probe-image", metavar="IMAGE", help="The Pod's image: that of the agent (else the installed agent's)."),
    click.option("--probe-namespace", metavar="NS", help="The Pod's Namespace (unstuck-system; must be named where that is not there)."),
    click.option("--dry-run", is_flag=True, help="Where a refused write would decide, try it as a dry run (needs the right to patch)."),
    click.option("--ask-registry", is_flag=True, help="Ask an image's registry which tags it has: from this machine, without credentials."),
    click.option("--facts", multiple=True, metavar="FILE", type=click.Path(), help="Also use these saved facts."),
)


def sight(f: Callable[..., int]) -> Callable[..., int]:
    """What else may be looked at, handed over as one `sight`. Errors: Misuse for what excludes each other."""

    @wraps(f)
    def command(**given: Any) -> int:
        taken = {name: given.pop(name) for name in _sight_of.__annotations__ if name != "return"}
        return f(sight=_sight_of(**taken), **given)

    for option in reversed(_SIGHT):
        command = option(command)
    return command


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
    dry_run: bool,
    ask_registry: bool,
    facts: tuple[str, ...],
) -> Sight:
    from unstuck.api.nodes import Nodes
    from unstuck.cli.connecting import Sight
    from unstuck.cli.misuse import Misuse
    from unstuck.facts.text import Text

    for given, option in ((here, "--here"), (ssh, "--ssh"), (probe, "--probe")):
        if given and no_node:
            raise Misuse(Text(f"{option} and --no-node exclude each other", f"{option} 与 --no-node 互相排斥"))
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
    return Sight(None if no_node else nodes, facts, dry_run, ask_registry)
