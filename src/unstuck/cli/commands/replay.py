"""`unstuck replay FILE`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options
from unstuck.cli.bilingual import command_of
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang


HELP = Text(
    """The answer from a saved Snapshot again: the same bytes as when it was saved, in either language.

\b
  unstuck why pod/web-0 --save web-0.json.gz
  unstuck replay web-0.json.gz
  unstuck replay web-0.json.gz --lang zh -o json

Exit status as for `why`; 3 where the file is no Snapshot.
""",
    """根据已保存的快照再次作答：与保存时的字节完全相同，两种语言均可。

\b
  unstuck why pod/web-0 --save web-0.json.gz
  unstuck replay web-0.json.gz
  unstuck replay web-0.json.gz --lang zh -o json

退出状态与 `why` 相同；文件不是快照时为 3。
""",
)


@command_of("replay", HELP)
@click.argument("file", type=click.Path())
@options.answer
@options.explained
@options.everything
def command(file: str, output: Output, lang: Lang, explain: bool, everything: bool) -> int:
    """Answer `unstuck replay`."""
    from unstuck.api.replaying import replay
    from unstuck.cli.answers import OutputOptions, answer, say

    report = replay(file)
    say(report.notes, lang)
    return answer(report, OutputOptions(output, lang, explain, everything=everything))
