"""`unstuck read`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options
from unstuck.cli.bilingual_help import bilingual_command, option, paragraphs, verbatim
from unstuck.facts.text import Messages, same_in_both

if TYPE_CHECKING:
    from unstuck.api.settings import Settings
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang

say = Messages(__name__)

HELP = paragraphs(
    say("Answers from texts or support bundles. `-`, or no path, is standard input."),
    say(
        "Without a file, on a terminal, it goes on: paste the next output, and the answer is of all of them "
        "together; q or Ctrl-D ends. With a file it ends after the answer; name `-` beside it to paste more "
        "(`unstuck read pod.yaml -`)."
    ),
    say(
        "Text in any mixture: kubectl's JSON, YAML, tables and describe, events, kubelet and runtime "
        "logs, dmesg, df, mount, lsattr. A directory, tar (gz, xz, bz2, zst) or zip is read as what it "
        "holds and unpacked nowhere: must-gather, cluster-info dump, sosreport, what `unstuck collect` "
        "wrote, Snapshots within, and others. What a file says is taken as of when it was written, "
        "standard input as of now."
    ),
    verbatim(
        same_in_both("""  kubectl describe pod web-0 | unstuck read -
  unstuck read pod.yaml events.txt kubelet.log
  unstuck read must-gather.tar.gz sosreport-node-1.tar.xz
  unstuck read paste.txt --show-facts""")
    ),
    say("Exit status as for `why`; 3 where nothing in it can be read."),
)


@bilingual_command("read", HELP)
@click.argument("paths", nargs=-1, metavar="[PATH…|-]", type=click.Path())
@option(
    "--once",
    is_flag=True,
    help=say("On a terminal: answer the first paste and end."),
)
@option(
    "--subject",
    metavar="KIND/NAME",
    help=say("Answer about this object only, not about every unhealthy object in the text."),
)
@option("-n", "--namespace", metavar="NS", help=say("The Namespace of --subject."))
@option(
    "--show-facts",
    is_flag=True,
    help=say("What was read, instead of the answer; with -o json as --save writes it."),
)
@options.answer
@options.explain
@options.everything
@options.after
@options.save
@options.settings
def command(
    *,
    paths: tuple[str, ...],
    once: bool,
    subject: str | None,
    namespace: str | None,
    show_facts: bool,
    output: Output,
    lang: Lang,
    explain: bool,
    everything: bool,
    after: float | None,
    save: str | None,
    settings: Settings | None,
) -> int:
    """Answer `unstuck read`."""
    if show_facts and output not in ("text", "wide", "json", "yaml"):
        from unstuck.cli.misuse import Misuse

        raise Misuse(say("--show-facts goes with -o text, json or yaml"))
    from unstuck.api.reading import TextQuestion
    from unstuck.cli.answers import OutputOptions
    from unstuck.cli.read import ReadRequest, read

    shape = OutputOptions(output, lang, explain, everything=everything)
    return read(
        ReadRequest(
            paths or ("-",), TextQuestion(subject, namespace, after), show_facts, shape, save, settings, once
        )
    )
