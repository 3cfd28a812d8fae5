"""`unstuck why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import cluster_options, complete, evidence_options, options
from unstuck.cli.bilingual_help import bilingual_command, option, paragraphs, verbatim
from unstuck.cli.duration import Duration
from unstuck.cli.lang import Lang
from unstuck.facts.text import Messages

if TYPE_CHECKING:
    from unstuck.api.settings import Settings
    from unstuck.cli.answers import Output
    from unstuck.cli.connection import ClusterOptions, EvidenceOptions

say = Messages(__name__)

HELP = paragraphs(
    say("Why one object is stuck, with proof, and what safely gets it unstuck."),
    say(
        "KIND is a Pod, Namespace, Node, PVC, PV, Deployment, StatefulSet, DaemonSet, Job, or anything that "
        "is being deleted. A NAME alone is looked for among Pods, then workloads, then the rest. Without an "
        "object: the worst thing in the Namespace. Node evidence comes from the agent if installed, "
        "otherwise from the access that you allow (--here, --ssh, --probe)."
    ),
    verbatim(
        say("""  unstuck why pod/web-0 -n shop
  unstuck why web-0                              the Pod, else the workload, of this name
  unstuck why sts pg -n pay --lang zh
  unstuck why pods -l app=web -A                 those of them that are not fine
  unstuck why @3                                 the third of the last scan, for an hour
  unstuck why ns/ci-8842 --wait --timeout 10m    until it is gone or a cause is known
  unstuck why pod/web-0 --here                   on the Pod's node, as root: with the node's evidence
  unstuck why pod/web-0 --ssh root@{{node}}        with the node's evidence through your own ssh
  unstuck why pod/web-0 --probe                  with a short-lived Pod on the node that looks
  unstuck why pod/web-0 --facts node.json        with what `unstuck node --here -o json` printed there
  unstuck why pod/web-0 --save web-0.json.gz     for `unstuck replay`""")
    ),
    verbatim(
        say("""Exit status: 0 fine, progressing or gone · 1 broken, a cause is proven or likely
             2 stuck or unknown, no cause yet · 3 usage error, not found, or no access""")
    ),
)


@bilingual_command("why", HELP)
@click.argument(
    "words", nargs=-1, metavar="[KIND/NAME… | KIND NAME… | NAME | @N]", shell_complete=complete.objects
)
@option(
    "-l",
    "--selector",
    "labels",
    metavar="LABELS",
    help=say("As for kubectl: objects with these labels, e.g. app=web; Pods, or KIND."),
)
@option(
    "--field-selector",
    "fields",
    metavar="FIELDS",
    help=say("As for kubectl: objects with these fields, e.g. spec.nodeName=n1."),
)
@option("-A", "--all-namespaces", "everywhere", is_flag=True, help=say("In all Namespaces."))
@cluster_options.cluster
@options.answer
@options.explain
@options.everything
@options.after
@options.save
@options.settings
@option(
    "--wait",
    section=options.PIPELINES,
    is_flag=True,
    help=say("Ask again until it is fine or gone, or a cause is known."),
)
@option(
    "--timeout",
    section=options.PIPELINES,
    type=Duration(),
    default="10m",
    metavar="D",
    help=say("With --wait: at most D (10m)."),
)
@option(
    "-w",
    "--watch",
    is_flag=True,
    help=say("Ask again and again until it is fine, or Ctrl-C; prints what changes."),
)
@evidence_options.sight
def command(
    *,
    words: tuple[str, ...],
    labels: str | None,
    fields: str | None,
    everywhere: bool,
    place: ClusterOptions,
    output: Output,
    lang: Lang,
    explain: bool,
    everything: bool,
    after: float | None,
    save: str | None,
    wait: bool,
    watch: bool,
    timeout: float,
    sight: EvidenceOptions,
    settings: Settings | None,
) -> int:
    """Answer `unstuck why`."""
    from unstuck.cli.answers import OutputOptions
    from unstuck.cli.why import Selection, WhyRequest, why

    request = WhyRequest(
        selection=Selection(words, labels or "", fields or "", everywhere),
        place=place,
        sight=sight,
        shape=OutputOptions(output, lang, explain, everything=everything, paged=not watch),
        after=after,
        save=save,
        timeout=timeout if wait else None,
        settings=settings,
        watch=watch,
    )
    return why(request)
