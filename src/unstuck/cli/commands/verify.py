"""`unstuck verify FILE`."""

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
    """A proof judged again, without a cluster: whether its cause follows from its facts, and which of them, taken away, would end it.

FILE is what `-o proof` has written: the fewest facts from which the first cause follows. A Snapshot of --save is held to its own cause.

\b
  unstuck why pod/web-0 -o proof > web-0.json
  unstuck verify web-0.json
  unstuck replay web-0.json

Exit status: 0 what is claimed follows · 1 it does not · 3 the file cannot be read, or claims nothing
""",
    """不需要集群，重新判断一份证明：其原因是否可由其中的事实推出，以及缺少哪一个事实就不再成立。

FILE 是 `-o proof` 所写的文件：能推出首个原因的最少事实。由 --save 保存的快照则按其自身的原因来判断。

\b
  unstuck why pod/web-0 -o proof > web-0.json
  unstuck verify web-0.json
  unstuck replay web-0.json

退出状态：0 所声称的可以推出 · 1 推不出 · 3 文件无法读取，或其中没有声称任何原因
""",
)


@command_of("verify", HELP)
@click.argument("file", metavar="FILE|-", type=click.Path())
@options.shape
def command(file: str, output: Output, lang: Lang) -> int:
    """Answer `unstuck verify`."""
    from unstuck.cli.answers import OutputOptions
    from unstuck.cli.verify import verify

    return verify(file, OutputOptions(output, lang))
