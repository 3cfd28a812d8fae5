"""`unstuck why`."""

from __future__ import annotations

import click

from unstuck.cli import options
from unstuck.cli.lang import Duration

HELP = """Why one object is stuck, with proof, and what safely gets it unstuck.

KIND is a Pod, Namespace, Node, PVC, PV, Deployment, StatefulSet, DaemonSet, Job, or anything that is being deleted.
Without an object: the worst thing in the Namespace.
What only a node tells is asked of the agent there, if one is installed; then by the ways that you allow.

\b
  unstuck why pod/web-0 -n shop
  unstuck why sts pg -n pay --lang zh
  unstuck why ns/ci-8842 --wait --timeout 10m    until it is gone or a cause is known
  unstuck why pod/web-0 --here                   on the Pod's node, as root: with the node's evidence
  unstuck why pod/web-0 --ssh root@{node}        with the node's evidence through your own ssh
  unstuck why pod/web-0 --probe                  with a short-lived Pod on the node that looks
  unstuck why pod/web-0 --facts node.json        with what `unstuck node --here -o json` printed there
  unstuck why pod/web-0 --save web-0.json.gz     for `unstuck replay`

\b
Exit status: 0 fine, progressing or gone · 1 stuck, a cause is proven or likely
             2 stuck or unknown, no cause yet · 3 the question could not be asked
"""


@click.command("why", help=HELP)
@click.argument("subject", nargs=-1, metavar="[KIND/NAME | KIND NAME]")
@options.cluster
@options.shape
@options.explained
@options.after
@options.saved
@click.option("--wait", is_flag=True, help="Ask again until it is fine or gone, or a cause is known.")
@click.option("--timeout", type=Duration(), default="10m", metavar="D", help="With --wait: at most D (10m).")
@click.option("--here", is_flag=True, help="Look at this machine too: it is the node that the object is on.")
@click.option(
    "--touch", is_flag=True, help="With --here: touch the Pod's network and FUSE mounts; a process may wait there until they answer."
)
@click.option("--no-node", is_flag=True, help="Answer without any node's evidence.")
@click.option("--root", default="/", metavar="DIR", type=click.Path(), help="With --here: where the node's root is mounted (/).")
@click.option("--ssh", metavar="HOST", help="Look at the node as you reach it by ssh; {node} in HOST is the Node's name.")
@click.option("--probe", is_flag=True, help="Make a short-lived Pod on the node to look at it, if nothing else can.")
@click.option("--probe-image", metavar="IMAGE", help="The Pod's image: that of the agent (else the installed agent's).")
@click.option("--probe-namespace", metavar="NS", help="The Pod's Namespace (unstuck-system where it is, else the current one).")
@click.option("--dry-run", is_flag=True, help="Where a refused write would decide, try it as a dry run (needs the right to patch).")
@click.option("--facts", multiple=True, metavar="FILE", type=click.Path(), help="Also use these saved facts.")
def command(  # noqa: PLR0913
    *,
    subject: tuple[str, ...],
    namespace: str | None,
    context: str | None,
    kubeconfig: str | None,
    output: str,
    lang: str,
    explain: bool,
    after: float | None,
    save: str | None,
    wait: bool,
    timeout: float,
    here: bool,
    touch: bool,
    no_node: bool,
    root: str,
    ssh: str | None,
    probe: bool,
    probe_image: str | None,
    probe_namespace: str | None,
    dry_run: bool,
    facts: tuple[str, ...],
) -> int:
    """See HELP."""
    from unstuck.cli.answers import Shape  # noqa: PLC0415
    from unstuck.cli.ask import Place, ProbeAsked, Sight  # noqa: PLC0415
    from unstuck.cli.why import Why, why  # noqa: PLC0415

    for given, option in ((here, "--here"), (ssh, "--ssh"), (probe, "--probe")):
        if given and no_node:
            raise click.UsageError(f"{option} and --no-node exclude each other")
    if touch and not here:
        raise click.UsageError("--touch needs --here: only mounts of this machine are touched")
    asked = Why(
        subject=subject,
        place=Place(context, kubeconfig, namespace),
        sight=Sight(here, root, not no_node, facts, ssh, ProbeAsked(probe, probe_image, probe_namespace), touch, dry_run),
        shape=Shape(output, lang, explain),  # type: ignore[arg-type]
        after=after,
        save=save,
        timeout=timeout if wait else None,
    )
    return why(asked)
