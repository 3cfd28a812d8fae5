"""The group of commands. A command's module is imported only for running it: `unstuck --help` must cost next
to nothing.
"""

from __future__ import annotations

import importlib

import click

from unstuck import __version__
from unstuck.cli.bilingual_help import (
    VERSION_OPTION,
    BilingualCommand,
    Option,
    paragraphs,
    pick_language,
    verbatim,
)
from unstuck.facts.text import Messages, Text

say = Messages(__name__)

COMMANDS = {
    "why": say("Why one object is stuck; without an object, the worst thing in the Namespace."),
    "scan": say("What is stuck in a Namespace or in the whole cluster: incidents first."),
    "read": say("Answers from files or pasted text: kubectl output, events, kubelet lines."),
    "collect": say("Write the evidence of `why` into one file, for `read` elsewhere."),
    "node": say("This node's evidence, for answers that the API cannot give."),
    "replay": say("Answer again from a saved Snapshot, in either language."),
    "verify": say("A proof judged again: which fact, taken away, would end it; needs no cluster."),
    "explain": say("The page of a cause: how it happens, how to tell, what is not known."),
    "demo": say("Incidents recorded on a real cluster, answered; needs no cluster."),
    "schema": say("The JSON Schema of -o json."),
    "version": say("The version, and the server's where it can be reached."),
    "completion": say("Completion for bash, zsh or fish."),
}

HELP = paragraphs(
    say("Says why something in Kubernetes is stuck, how it knows, and what safely gets it unstuck."),
    verbatim(
        say("""  unstuck why pod/web-0 -n shop      a Pod that does not start or is not deleted
  unstuck why ns/ci-8842             a Namespace that stays Terminating
  unstuck why                        the worst thing in this Namespace
  unstuck scan -A                    every incident in the cluster
  kubectl describe pod x | unstuck read -""")
    ),
    say(
        "It changes nothing; only to ask a node, and only if allowed, it creates a NodeProbe or a Pod, and "
        "deletes it. `proven` is said only with proof; otherwise it says what would decide."
    ),
    verbatim(
        say("""Exit status: 0 fine, progressing, held · 1 broken, a cause is proven or likely
             2 stuck or unknown, no cause yet · 3 usage error, not found, or no access
             70 internal error · 130 Ctrl-C""")
    ),
)


class LazyGroup(BilingualCommand, click.Group):
    """A group of commands with only their names and summaries; a command is imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in the order of a user's needs."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name, None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"unstuck.cli.commands.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; for an unknown name raise Misuse with the nearest or probably intended one."""
        if args and args[0] not in COMMANDS:
            from unstuck.cli.misuse import Misuse

            raise Misuse(_unknown_command(args[0]), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one line per command, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, pick_language(line, ctx)) for name, line in COMMANDS.items()])


def _unknown_command(word: str) -> Text:
    from difflib import get_close_matches

    from unstuck.diagnosis import given
    from unstuck.diagnosis.command import command

    if "/" in word and not word.startswith("-"):
        kind, _, name = word.partition("/")
        ask = command("unstuck why {object}", object=given.obj(kind, name)).line or "unstuck why KIND/NAME"
        return say("no such command: {word}; to ask about it: {ask}", word=word, ask=ask)
    if near := get_close_matches(word, COMMANDS, 1):
        return say("no such command: {word}; did you mean {near}?", word=word, near=near[0])
    known = ", ".join(COMMANDS)
    return say("no such command: {word}; there are {known}", word=word, known=known)


@click.group(
    cls=LazyGroup,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.version_option(__version__, message="unstuck %(version)s", cls=Option, help=VERSION_OPTION)
@click.pass_context
def app(ctx: click.Context) -> None:
    """Print the help if no command is given."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
