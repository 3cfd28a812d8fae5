"""Options that permit evidence beyond the API server's: this machine, a node, a registry, saved facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unstuck.cli.bilingual_help import gather_as, option, option_group, with_heading
from unstuck.cli.duration import Duration
from unstuck.facts.text import Messages

if TYPE_CHECKING:
    from unstuck.cli.connection import EvidenceOptions

say = Messages(__name__)

C = TypeVar("C", bound=Callable[..., Any])

SIGHT = say("What else may be looked at")

_SIGHT = (
    option(
        "--here",
        is_flag=True,
        help=say("Also look at this machine, which is the object's node."),
    ),
    option(
        "--touch",
        is_flag=True,
        help=say(
            "With --here: touch the Pod's network and FUSE mounts; a process may "
            "wait there until they answer."
        ),
    ),
    option("--no-node", is_flag=True, help=say("Answer without any node's evidence.")),
    option(
        "--root",
        default="/",
        metavar="DIR",
        type=click.Path(),
        help=say("With --here: where the node's root is mounted (/)."),
    ),
    option(
        "--node-timeout",
        type=Duration(),
        metavar="D",
        help=say("With --here: at most D for each look at it (4.5s); a busy node may need 30s."),
    ),
    option(
        "--ssh",
        metavar="HOST",
        help=say(
            "Look at the node through your ssh; {{node}} in HOST is the Node's name, and one more like it "
            "may be read for comparison."
        ),
    ),
    option(
        "--probe",
        is_flag=True,
        help=say(
            "Make a short-lived Pod on the node to look at it, if nothing else can; deleted afterwards."
        ),
    ),
    option(
        "--probe-image",
        metavar="IMAGE",
        help=say("The Pod's image: that of the agent (else the installed agent's)."),
    ),
    option(
        "--probe-namespace",
        metavar="NS",
        help=say("The Pod's Namespace (unstuck-system; must be named where that is not there)."),
    ),
    option(
        "--try-write",
        is_flag=True,
        help=say(
            "Where a refused write would decide, try it as the server's dry run (needs the right to patch)."
        ),
    ),
    # The former name was misleading: kubectl's --dry-run does less than a plain command, ours did more.
    option("--dry-run", is_flag=True, hidden=True, help=say("The former name of --try-write.")),
    option(
        "--ask-registry",
        is_flag=True,
        help=say("Ask an image's registry which tags it has: from this machine, without credentials."),
    ),
    option(
        "--facts", multiple=True, metavar="FILE", type=click.Path(), help=say("Also use these saved facts.")
    ),
)


def sight(f: C) -> C:
    """Add the options of further permitted evidence, passed as one `sight`. Errors: Misuse for mutually
    exclusive options.
    """
    return option_group(with_heading(SIGHT, *_SIGHT), lambda given: gather_as("sight", _sight_of, given))(f)


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
    from unstuck.cli.connection import EvidenceOptions
    from unstuck.cli.misuse import Misuse
    from unstuck.render.words import in_lang

    for given, word in ((here, "--here"), (ssh, "--ssh"), (probe, "--probe")):
        if given and no_node:
            raise Misuse(say("{word} and --no-node exclude each other", word=word))
    if touch and not here:
        raise Misuse(say("--touch needs --here: only mounts of this machine are touched"))
    if node_timeout is not None and not here:
        raise Misuse(say("--node-timeout needs --here"))
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
        renamed = say("--dry-run is now called --try-write")
        click.echo(in_lang(renamed, click.get_current_context().find_root().obj), err=True)
    return EvidenceOptions(None if no_node else nodes, facts, try_write or dry_run, ask_registry)
