"""`unstuck replay FILE`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang


@click.command("replay")
@click.argument("file", type=click.Path())
@options.answer
@options.explained
def command(file: str, output: Output, lang: Lang, explain: bool) -> int:
    """The answer from a saved Snapshot again: the same bytes as when it was saved, in either language.

    \b
      unstuck why pod/web-0 --save web-0.json.gz
      unstuck replay web-0.json.gz
      unstuck replay web-0.json.gz --lang zh -o json

    Exit status as for `why`; 3 where the file is no Snapshot.
    """
    from unstuck.api.replaying import replay
    from unstuck.cli.answers import Shape, answer

    return answer(replay(file), Shape(output, lang, explain))
