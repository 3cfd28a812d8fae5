"""`unstuck why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options
from unstuck.cli.lang import Duration, Lang

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.connecting import Place, Sight

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
@options.answer
@options.explained
@options.after
@options.saved
@click.option("--wait", is_flag=True, help="Ask again until it is fine or gone, or a cause is known.")
@click.option("--timeout", type=Duration(), default="10m", metavar="D", help="With --wait: at most D (10m).")
@options.sight
def command(
    *,
    subject: tuple[str, ...],
    place: Place,
    output: Output,
    lang: Lang,
    explain: bool,
    after: float | None,
    save: str | None,
    wait: bool,
    timeout: float,
    sight: Sight,
) -> int:
    """See HELP."""
    from unstuck.cli.answers import Shape
    from unstuck.cli.why import Why, why

    asked = Why(
        subject=subject,
        place=place,
        sight=sight,
        shape=Shape(output, lang, explain),
        after=after,
        save=save,
        timeout=timeout if wait else None,
    )
    return why(asked)
