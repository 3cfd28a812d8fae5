"""`unstuck version`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.cli import cluster_options, options
from unstuck.cli.bilingual import command_of, option
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.cli.answers import Output
    from unstuck.cli.connecting import ClusterOptions
    from unstuck.cli.lang import Lang

HELP = Text(
    """The version of unstuck, and the server's where it can be reached.

\b
  unstuck version
  unstuck version --client
  unstuck version -o json

Exit status 0, also where no server is reached.
""",
    """unstuck 的版本；若能连接，还有服务器的版本。

\b
  unstuck version
  unstuck version --client
  unstuck version -o json

退出状态为 0，连接不上服务器时也是如此。
""",
)


@command_of("version", HELP)
@option("--client", is_flag=True, help=Text("Only that of unstuck; nothing is asked.", "仅 unstuck 的版本；不作任何询问。"))
@cluster_options.cluster
@options.shape
def command(client: bool, place: ClusterOptions, output: Output, lang: Lang) -> int:
    """Answer `unstuck version`."""
    from unstuck.cli.version import print_versions

    return print_versions(None if client else place, output, lang)
