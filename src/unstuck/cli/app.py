"""The group of commands. A command's module is imported only when it runs: `unstuck --help` must cost next to nothing."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import click

from unstuck import __version__

if TYPE_CHECKING:
    from unstuck.facts.text import Text

COMMANDS = {
    "why": "Why one object is stuck; without an object, the worst thing in the Namespace.",
    "scan": "What is stuck in a Namespace or in the whole cluster: incidents first.",
    "read": "The same from files or pasted text: kubectl output, events, kubelet lines.",
    "collect": "One file of what `why` would use, for `read` elsewhere.",
    "node": "What this node shows, for an answer that the API cannot give.",
    "replay": "The answer from a saved Snapshot again, in either language.",
    "explain": "The page of a cause: how it happens, how to tell, what is not known.",
    "demo": "Incidents recorded on a real cluster, answered; needs no cluster.",
    "schema": "The JSON Schema of -o json.",
    "completion": "Completion for bash, zsh or fish.",
}

HELP = """Says why something in Kubernetes is stuck, how it knows, and what safely gets it unstuck.

\b
  unstuck why pod/web-0 -n shop      a Pod that does not start or does not go
  unstuck why ns/ci-8842             a Namespace that stays Terminating
  unstuck why                        the worst thing in this Namespace
  unstuck scan -A                    every incident in the cluster
  kubectl describe pod x | unstuck read -

It changes nothing; only to ask a node, and only if allowed, it makes a NodeProbe or a Pod, and deletes it.
`proven` is said only with proof; else it names what would decide.

\b
Exit status: 0 fine or progressing · 1 stuck, a cause is proven or likely
             2 stuck or unknown, no cause yet · 3 the question could not be asked
             70 internal error · 130 Ctrl-C
"""


class InLanguage(click.Context):
    """A context whose help is in the language that the command line was run in (`obj`)."""

    def get_help(self) -> str:
        """What --help prints."""
        if self.obj != "zh":
            return super().get_help()
        from unstuck.cli.help_zh import help_in_chinese

        return help_in_chinese(self)


class Lazy(click.Group):
    """A group whose commands are known by name and one line; the rest comes when one is asked for."""

    context_class = InLanguage

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which a person needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"unstuck.cli.commands.{cmd_name}").command
        command.context_class = InLanguage
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """An unknown command is answered with the nearest one, or with what was probably meant."""
        if args and args[0] not in COMMANDS:
            from unstuck.cli.misuse import Misuse

            raise Misuse(_unknown(args[0]), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line each, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _unknown(word: str) -> Text:
    from difflib import get_close_matches

    from unstuck.diagnosis import given
    from unstuck.diagnosis.command import command
    from unstuck.facts.text import Text

    if "/" in word and not word.startswith("-"):
        kind, _, name = word.partition("/")
        ask = command("unstuck why {object}", object=given.obj(kind, name)).line or "unstuck why KIND/NAME"
        return Text(f"no such command: {word}; to ask about it: {ask}", f"没有命令 {word}；要询问该对象，请用 {ask}")
    if near := get_close_matches(word, COMMANDS, 1):
        return Text(f"no such command: {word}; did you mean {near[0]}?", f"没有命令 {word}，最接近的是 {near[0]}")
    known = ", ".join(COMMANDS)
    return Text(f"no such command: {word}; there are {known}", f"没有命令 {word}；现有 {known}")


@click.group(
    cls=Lazy,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.version_option(__version__, message="unstuck %(version)s")
@click.pass_context
def app(ctx: click.Context) -> None:
    """Without a command: the help."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
