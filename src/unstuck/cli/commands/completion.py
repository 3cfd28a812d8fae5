"""`unstuck completion SHELL`."""

from __future__ import annotations

import click

from unstuck.cli.bilingual import command_of
from unstuck.cli.misuse import Misuse
from unstuck.facts.text import Text

HELP = Text(
    """Prints the completion script of a shell.

\b
  source <(unstuck completion bash)            # in ~/.bashrc
  unstuck completion zsh > ~/.zfunc/_unstuck
  unstuck completion fish > ~/.config/fish/completions/unstuck.fish

Kinds, names, Namespaces, contexts and causes are completed, too; a cluster is asked for at most a second. kubectl's own completion asks
`kubectl_complete-unstuck`, which comes with the package, about `kubectl unstuck`.
""",
    """输出某种 shell 的补全脚本。

\b
  source <(unstuck completion bash)            # 写入 ~/.bashrc
  unstuck completion zsh > ~/.zfunc/_unstuck
  unstuck completion fish > ~/.config/fish/completions/unstuck.fish

类别、名称、Namespace、上下文与原因也会补全；询问集群至多一秒。对于 `kubectl unstuck`，kubectl 自身的补全会调用随软件包提供的
`kubectl_complete-unstuck`。
""",
)


@command_of("completion", HELP)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Answer `unstuck completion`."""
    from click.shell_completion import get_completion_class

    from unstuck.cli.app import app
    from unstuck.cli.terminal import emit

    kind = get_completion_class(shell)
    if kind is None:
        raise Misuse(Text(f"no completion for {shell}", f"没有 {shell} 的补全"))
    script = kind(app, {}, "unstuck", "_UNSTUCK_COMPLETE")
    emit(script.source_template % script.source_vars() + "\n")
    return 0
