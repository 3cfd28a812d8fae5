"""`unstuck scan`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from unstuck.cli import cluster_options, options
from unstuck.cli.bilingual_help import bilingual_command, option, paragraphs, verbatim
from unstuck.cli.duration import Duration
from unstuck.cli.lang import Lang
from unstuck.cli.misuse import Misuse
from unstuck.facts.text import Messages, same_in_both

if TYPE_CHECKING:
    from unstuck.api.settings import Settings
    from unstuck.cli.answers import Output
    from unstuck.cli.connection import ClusterOptions
    from unstuck.cli.status import FailOn

say = Messages(__name__)

HELP = paragraphs(
    say("What is stuck in a Namespace or in the whole cluster: incidents by symptom, the widest first."),
    verbatim(
        same_in_both("""  unstuck scan
  unstuck scan -n shop
  unstuck scan -A --members
  unstuck scan -A --watch
  unstuck scan -A -o html > cluster.html""")
    ),
    say("Exit status as for `why`, over everything that was found; for pipelines --fail-on."),
)


@bilingual_command("scan", HELP)
@option("-A", "--all-namespaces", "everywhere", is_flag=True, help=say("The whole cluster."))
@cluster_options.cluster
@options.answer
@option("-m", "--members", is_flag=True, help=say("Name every member of each incident."))
@option(
    "--held",
    is_flag=True,
    help=say("List objects held on purpose: scaled to 0, suspended, cordoned."),
)
@option(
    "--fail-on",
    section=options.PIPELINES,
    type=click.Choice(["stuck", "proven", "never"]),
    help=say("Exit 1 only for what is stuck, or for proven causes; else 0."),
)
@option(
    "-w",
    "--watch",
    is_flag=True,
    help=say("Scan again and again, in place on a terminal, until q or Ctrl-C."),
)
@option(
    "--every",
    type=Duration(),
    default="10s",
    metavar="D",
    help=say("With --watch: a scan each D (10s)."),
)
@option(
    "--qps",
    section=options.PIPELINES,
    type=click.FloatRange(1, 10_000),
    metavar="N",
    help=say("At most N requests a second."),
)
@options.explain
@options.after
@options.save
@options.settings
def command(
    *,
    everywhere: bool,
    place: ClusterOptions,
    output: Output,
    lang: Lang,
    members: bool,
    held: bool,
    fail_on: FailOn | None,
    watch: bool,
    every: float,
    qps: float | None,
    explain: bool,
    after: float | None,
    save: str | None,
    settings: Settings | None,
) -> int:
    """Answer `unstuck scan`."""
    if everywhere and place.namespace:
        raise Misuse(say("-A and -n exclude each other"))
    if every <= 0:
        raise Misuse(say("--every needs a time above 0s"))
    # NaN passes every range check.
    if qps is not None and math.isnan(qps):
        raise Misuse(say("--qps needs a number"))
    from unstuck.api.cluster import connect

    cluster = connect(
        place.context,
        kubeconfig=place.kubeconfig,
        namespace=place.namespace,
        qps=qps,
        overrides=place.overrides,
    )
    begun = cluster.begin_scan(everywhere=everywhere, after=after)
    # The output code is imported while the server responds.
    from unstuck.cli.answers import OutputOptions
    from unstuck.cli.scan import ScanRequest, scan

    return scan(
        cluster,
        begun,
        ScanRequest(
            OutputOptions(output, lang, explain, members, paged=not watch),
            after,
            save,
            fail_on,
            every if watch else None,
            settings,
            held,
        ),
    )
