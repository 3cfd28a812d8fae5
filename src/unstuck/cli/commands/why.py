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
A NAME alone is looked for among Pods, then workloads, then the rest. Without an object: the worst thing in the Namespace.
What only a node tells is asked of the agent there, if one is installed; then by the ways that you allow.

\b
  unstuck why pod/web-0 -n shop
  unstuck why web-0                              the Pod, else the workload, of this name
  unstuck why sts pg -n pay --lang zh
  unstuck why pods -l app=web -A                 those of them that are not fine
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
@click.argument("words", nargs=-1, metavar="[KIND/NAME… | KIND NAME… | NAME]")
@click.option("-l", "--selector", "labels", metavar="LABELS", help="As for kubectl: those with these labels, e.g. app=web; Pods, or KIND.")
@click.option("--field-selector", "fields", metavar="FIELDS", help="As for kubectl: those with these fields, e.g. spec.nodeName=n1.")
@click.option("-A", "--all-namespaces", "everywhere", is_flag=True, help="In all Namespaces.")
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
    words: tuple[str, ...],
    labels: str | None,
    fields: str | None,
    everywhere: bool,
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
    from unstuck.cli.why import Which, Why, why

    asked = Why(
        which=Which(words, labels or "", fields or "", everywhere),
        place=place,
        sight=sight,
        shape=Shape(output, lang, explain),
        after=after,
        save=save,
        timeout=timeout if wait else None,
    )
    return why(asked)
