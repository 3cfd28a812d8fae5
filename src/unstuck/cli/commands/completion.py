"""`unstuck completion SHELL`."""

from __future__ import annotations

import click

from unstuck.cli.bilingual_help import bilingual_command, paragraphs, verbatim
from unstuck.cli.misuse import Misuse
from unstuck.facts.text import Messages

say = Messages(__name__)

HELP = paragraphs(
    say("Prints the completion script of a shell."),
    verbatim(
        say("""  source <(unstuck completion bash)            # in ~/.bashrc
  unstuck completion zsh > ~/.zfunc/_unstuck
  unstuck completion fish > ~/.config/fish/completions/unstuck.fish""")
    ),
    say(
        "Kinds, names, Namespaces, contexts and causes are completed, too; a cluster is asked for at most "
        "a second. kubectl's own completion asks `kubectl_complete-unstuck`, which comes with the "
        "package, about `kubectl unstuck`."
    ),
)


@bilingual_command("completion", HELP)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Answer `unstuck completion`."""
    from click.shell_completion import get_completion_class

    from unstuck.cli.app import app
    from unstuck.cli.terminal import emit

    kind = get_completion_class(shell)
    if kind is None:
        raise Misuse(say("no completion for {shell}", shell=shell))
    script = kind(app, {}, "unstuck", "_UNSTUCK_COMPLETE")
    emit(script.source_template % script.source_vars() + "\n")
    return 0
