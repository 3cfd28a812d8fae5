"""`unstuck read`."""

from __future__ import annotations

import click

from unstuck.cli import options


@click.command("read")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…|-", type=click.Path())
@click.option("--subject", metavar="KIND/NAME", help="Only this one; else everything in the text that is not fine.")
@click.option("-n", "--namespace", metavar="NS", help="With --subject: its Namespace.")
@click.option("--show-facts", is_flag=True, help="What was read, instead of the answer.")
@options.shape
@options.explained
@options.after
@options.saved
def command(  # noqa: PLR0913
    *,
    paths: tuple[str, ...],
    subject: str | None,
    namespace: str | None,
    show_facts: bool,
    output: str,
    lang: str,
    explain: bool,
    after: float | None,
    save: str | None,
) -> int:
    r"""The same answers from text: kubectl's JSON, YAML and describe, events, kubelet lines, lsattr. `-` is standard input.

    \b
      kubectl describe pod web-0 | unstuck read -
      unstuck read pod.yaml events.txt kubelet.log
      unstuck read paste.txt --show-facts

    Exit status as for `why`; 3 where nothing in it can be read.
    """
    from unstuck.cli.answers import Shape  # noqa: PLC0415
    from unstuck.cli.read import Read, read  # noqa: PLC0415

    shape = Shape(output, lang, explain)  # type: ignore[arg-type]
    return read(Read(paths, subject, namespace, show_facts, shape, after, save))
