"""`unstuck scan`."""

from __future__ import annotations

import click

from unstuck.cli import options


@click.command("scan")
@click.option("-A", "--all-namespaces", "everywhere", is_flag=True, help="The whole cluster.")
@options.cluster
@options.shape
@options.explained
@options.after
@options.saved
def command(  # noqa: PLR0913
    *,
    everywhere: bool,
    namespace: str | None,
    context: str | None,
    kubeconfig: str | None,
    output: str,
    lang: str,
    explain: bool,
    after: float | None,
    save: str | None,
) -> int:
    r"""What is stuck in a Namespace or in the whole cluster: incidents, the widest first, then how to look closer.

    \b
      unstuck scan
      unstuck scan -n shop
      unstuck scan -A -o json

    Exit status as for `why`, over everything that was found.
    """
    from unstuck.cli.answers import Shape  # noqa: PLC0415
    from unstuck.cli.ask import Place  # noqa: PLC0415
    from unstuck.cli.scan import Scan, scan  # noqa: PLC0415

    if everywhere and namespace:
        raise click.UsageError("-A and -n exclude each other")
    return scan(Scan(Place(context, kubeconfig, namespace), everywhere, Shape(output, lang, explain), after, save))  # type: ignore[arg-type]
