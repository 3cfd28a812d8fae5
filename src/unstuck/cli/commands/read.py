"""`unstuck read`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang


@click.command("read")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…|-", type=click.Path())
@click.option("--subject", metavar="KIND/NAME", help="Only this one; else everything in the text that is not fine.")
@click.option("-n", "--namespace", metavar="NS", help="With --subject: its Namespace.")
@click.option("--show-facts", is_flag=True, help="What was read, instead of the answer.")
@options.answer
@options.explained
@options.after
@options.saved
def command(
    *,
    paths: tuple[str, ...],
    subject: str | None,
    namespace: str | None,
    show_facts: bool,
    output: Output,
    lang: Lang,
    explain: bool,
    after: float | None,
    save: str | None,
) -> int:
    """The same answers from text or a support bundle. `-` is standard input.

    Text in any mixture: kubectl's JSON, YAML, tables and describe, events, kubelet and runtime logs, dmesg, df, mount, lsattr. A directory,
    tar (gz, xz, bz2, zst) or zip is read as what it holds and unpacked nowhere: must-gather, cluster-info dump, sosreport, what
    `unstuck collect` wrote, Snapshots within, and others. What a file says is taken as of when it was written, standard input as of now.

    \b
      kubectl describe pod web-0 | unstuck read -
      unstuck read pod.yaml events.txt kubelet.log
      unstuck read must-gather.tar.gz sosreport-node-1.tar.xz
      unstuck read paste.txt --show-facts

    Exit status as for `why`; 3 where nothing in it can be read.
    """
    from unstuck.api.reading import Question
    from unstuck.cli.answers import Shape
    from unstuck.cli.read import Read, read

    return read(Read(paths, Question(subject, namespace, after), show_facts, Shape(output, lang, explain), save))
