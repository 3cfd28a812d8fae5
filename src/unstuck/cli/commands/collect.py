"""`unstuck collect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options
from unstuck.cli.misuse import Misuse
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.cli.connecting import Place, Sight
    from unstuck.cli.lang import Lang


@click.command("collect")
@click.argument("subject", nargs=-1, metavar="[KIND/NAME | KIND NAME]")
@click.option("-o", "--output", "file", required=True, type=click.Path(), metavar="FILE", help="The file to write, a tar.gz.")
@click.option("-A", "--all-namespaces", "everywhere", is_flag=True, help="The whole cluster.")
@click.option("--redact", is_flag=True, help="Replace names, addresses, images and unknown words; tells what was replaced.")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@options.cluster
@options.lang
@options.after
@options.sight
def command(
    *,
    subject: tuple[str, ...],
    file: str,
    everywhere: bool,
    redact: bool,
    overwrite: bool,
    place: Place,
    lang: Lang,
    after: float | None,
    sight: Sight,
) -> int:
    """One file of what `why` would use, for an answer elsewhere: `unstuck read FILE` gives the same one.

    Without an object: the Namespace, or with -A the cluster; the worst is looked at closely, nodes included.
    It holds observations: no Secret's value, no environment, no command line. FILE appears only when it is whole.

    \b
      unstuck collect pod/web-0 -n shop -o web-0.tar.gz
      unstuck collect -n shop -o shop.tar.gz
      unstuck collect -A --redact -o cluster.tar.gz
      unstuck read cluster.tar.gz

    Exit status: 0 written · 3 the question could not be asked or FILE not written
    """
    from unstuck.cli.collect import Collect, collect

    if everywhere and (place.namespace or subject):
        raise Misuse(Text("-A goes with neither -n nor an object", "-A 不能与 -n 或对象同时使用"))
    return collect(Collect(subject, everywhere, file, place, sight, lang, after, redact, overwrite))
