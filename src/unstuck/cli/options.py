"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unstuck.cli.lang import Duration, language

if TYPE_CHECKING:
    from unstuck.cli.connecting import Place, Sight

C = TypeVar("C", bound=Callable[..., Any])


ANSWERS = ("text", "wide", "json", "yaml", "markdown", "html", "name", "junit", "github")
_ANSWERS = "text (default), wide (text with more), json, yaml, markdown or html (one page); for pipelines name, junit or github."


def shape(f: C) -> C:
    """How something is printed: -o and --lang."""
    return _shaped(("text", "json", "yaml"), "text (default), json or yaml.")(f)


def answer(f: C) -> C:
    """How an answer is printed: -o with all of its formats, and --lang."""
    return _shaped(ANSWERS, _ANSWERS)(f)


def _shaped(formats: Sequence[str], said: str) -> Callable[[C], C]:
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


_PLACE = (
    click.option("-n", "--namespace", metavar="NS", help="The Namespace; else the context's."),
    click.option("--context", metavar="NAME", help="A context of the kubeconfig."),
    click.option("--kubeconfig", metavar="FILE", help="As for kubectl; else KUBECONFIG, ~/.kube/config, or the Pod's own account."),
    click.option("--cluster", metavar="NAME", help="As for kubectl: another cluster of the kubeconfig than the context's."),
    click.option("--user", metavar="NAME", help="As for kubectl: another user of the kubeconfig than the context's."),
    click.option("-s", "--server", metavar="URL", help="As for kubectl: the API server's address."),
    click.option("--as", "as_user", metavar="USER", help="As for kubectl: ask as this user, to see what it sees."),
    click.option("--as-group", "as_groups", multiple=True, metavar="GROUP", help="As for kubectl: with --as, in this group; repeatable."),
    click.option("--token", metavar="TOKEN", help="A bearer token, instead of all credentials of the kubeconfig."),
    click.option("--insecure-skip-tls-verify", "insecure", is_flag=True, help="Do not check the server's certificate: insecure."),
    click.option("--request-timeout", type=Duration(), metavar="D", help="At most D for one request (15s)."),
)


def cluster(f: Callable[..., int]) -> Callable[..., int]:
    """Which cluster, as kubectl has it, handed over as one `place`."""

    @wraps(f)
    def command(**given: Any) -> int:
        taken = {name: given.pop(name) for name in _place_of.__annotations__ if name != "return"}
        return f(place=_place_of(**taken), **given)

    for option in reversed(_PLACE):
        command = option(command)
    return command


def _place_of(
    *,
    namespace: str | None,
    context: str | None,
    kubeconfig: str | None,
    cluster: str | None,
    user: str | None,
    server: str | None,
    as_user: str | None,
    as_groups: tuple[str, ...],
    token: str | None,
    insecure: bool,
    request_timeout: float | None,
) -> Place:
    from unstuck.cli.connecting import Place

    overrides = None
    if any((cluster, user, server, as_user, as_groups, token, insecure, request_timeout)):
        from unstuck.api import Overrides

        overrides = Overrides(
            server=server,
            cluster=cluster,
            user=user,
            token=token,
            insecure=insecure,
            as_user=as_user,
            as_groups=as_groups,
            seconds=request_timeout,
        )
    return Place(context, kubeconfig, namespace, overrides)


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
    click.option(
        "--try-write", is_flag=True, help="Where a refused write would decide, try it as the server's dry run (needs the right to patch)."
    ),
    # Its name of before: kubectl's --dry-run does less than without it, ours did more.
    click.option("--dry-run", is_flag=True, hidden=True, help="The former name of --try-write."),
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
    try_write: bool,
    dry_run: bool,
    ask_registry: bool,
    facts: tuple[str, ...],
) -> Sight:
    from unstuck.api.nodes import Nodes
    from unstuck.cli.connecting import Sight
    from unstuck.cli.misuse import Misuse
    from unstuck.facts.text import Text
    from unstuck.render.words import in_lang

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
    if dry_run:
        renamed = Text("--dry-run is now called --try-write", "--dry-run 现在叫作 --try-write")
        click.echo(in_lang(renamed, click.get_current_context().find_root().obj), err=True)
    return Sight(None if no_node else nodes, facts, try_write or dry_run, ask_registry)
