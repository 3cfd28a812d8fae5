"""`unstuck scan`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options
from unstuck.cli.lang import Duration, Lang
from unstuck.cli.misuse import Misuse
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.connecting import Place
    from unstuck.cli.scan import FailOn


@click.command("scan")
@click.option("-A", "--all-namespaces", "everywhere", is_flag=True, help="The whole cluster.")
@options.cluster
@options.answer
@click.option("-m", "--members", is_flag=True, help="Name every member of each incident.")
@click.option(
    "--fail-on", type=click.Choice(["stuck", "proven", "never"]), help="Exit 1 only for what is stuck, or for proven causes; else 0."
)
@click.option("-w", "--watch", is_flag=True, help="Scan again and again, in place on a terminal, until q or Ctrl-C.")
@click.option("--every", type=Duration(), default="10s", metavar="D", help="With --watch: a scan each D (10s).")
@click.option("--qps", type=click.FloatRange(1, 10_000), metavar="N", help="At most N requests a second.")
@options.explained
@options.after
@options.saved
def command(
    *,
    everywhere: bool,
    place: Place,
    output: Output,
    lang: Lang,
    members: bool,
    fail_on: FailOn | None,
    watch: bool,
    every: float,
    qps: float | None,
    explain: bool,
    after: float | None,
    save: str | None,
) -> int:
    """What is stuck in a Namespace or in the whole cluster: incidents by what does not go on, the widest first.

    \b
      unstuck scan
      unstuck scan -n shop
      unstuck scan -A --members
      unstuck scan -A --watch
      unstuck scan -A -o html > cluster.html

    Exit status as for `why`, over everything that was found; for pipelines --fail-on.
    """
    if everywhere and place.namespace:
        raise Misuse(Text("-A and -n exclude each other", "-A 与 -n 互相排斥"))
    from unstuck.api.cluster import connect

    cluster = connect(place.context, kubeconfig=place.kubeconfig, namespace=place.namespace, qps=qps, overrides=place.overrides)
    begun = cluster.begin_scan(everywhere=everywhere, after=after)
    # All that prints is imported while the server is at work.
    from unstuck.cli.answers import Shape
    from unstuck.cli.scan import Asked, scan

    return scan(cluster, begun, Asked(Shape(output, lang, explain, members), after, save, fail_on, every if watch else None))
