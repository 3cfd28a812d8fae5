"""The command line: `unstuck-lab up`, `fault file-immutable`, `down`."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from unstuck_lab import agent, lifecycle, provisioning
from unstuck_lab import fault as catalogue
from unstuck_lab.box import make_environment
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.existing import VARIABLE
from unstuck_lab.matrix import format_table
from unstuck_lab.matrix import run as run_matrix


class Group(click.Group):
    """A command group that turns a `LabError` into one line and status 1."""

    def invoke(self, ctx: click.Context) -> object:
        """Run as click does."""
        try:
            return super().invoke(ctx)
        except LabError as error:
            click.echo(f"unstuck-lab: {error}", err=True)
            sys.exit(1)


def _complete_fault(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [
        CompletionItem(fault.name, help=fault.summary)
        for fault in catalogue.list_faults()
        if fault.name.startswith(incomplete)
    ]


def _complete_node(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    nodes = Lab.from_environment().nodes
    return [CompletionItem(node.name) for node in nodes if node.name.startswith(incomplete)]


def _get_own_lab() -> Lab | None:
    """Return the lab; if an existing cluster is used instead, print an explanation and return None."""
    lab = Lab.from_environment()
    if lab.existing is None:
        return lab
    click.echo(
        f"nothing to do: {VARIABLE} names an existing cluster, which is used as it is ({lab.kubeconfig})"
    )
    return None


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Run a real Kubernetes on this host, and apply real faults to it."""


@main.command("setup")
@click.option("--only", metavar="NAME", help="Provide only this, such as `helm`.")
def set_up(only: str | None) -> None:
    """Install, build and download everything that the lab, its faults and the tests need. `up` alone needs
    less.
    """
    lab = _get_own_lab()
    if lab is None:
        return
    say = lifecycle.make_stopwatch(click.echo)
    provisioning.provide(lab.paths, say, only)
    say(f"{only} is there" if only else "everything is there")


@main.command("up")
@click.option(
    "--nodes", type=click.IntRange(1, 3), default=1, show_default=True, help="Minimum number of nodes."
)
def bring_up(nodes: int) -> None:
    """Bring up the lab, or its missing parts."""
    lab = _get_own_lab()
    if lab is None:
        return
    say = lifecycle.make_stopwatch(click.echo)
    changed = lifecycle.bring_up(lab, nodes, say)
    names = ", ".join(node.name for node in lab.nodes)
    say(f"the lab is up: {names}" if changed else f"the lab was up and healthy already: {names}")
    click.echo(f"export KUBECONFIG={lab.kubeconfig}")


@main.command("down")
def take_down() -> None:
    """Remove the lab, whatever state it is in. Built programs are kept."""
    lab = _get_own_lab()
    if lab is None:
        return
    say = lifecycle.make_stopwatch(click.echo)
    was = lifecycle.take_down(lab.paths, say)
    say("the lab is gone" if was else "there was no lab")


@main.command("status")
def show_status() -> None:
    """Print the running parts."""
    for line in lifecycle.describe_status(Lab.from_environment()):
        click.echo(line)


@main.command("kubeconfig")
@click.option("--reader", is_flag=True, help="Of the user without rights.")
def show_kubeconfig(reader: bool) -> None:
    """Print the path of the kubeconfig."""
    lab = Lab.from_environment()
    file = lab.reader_kubeconfig if reader else lab.kubeconfig
    if not file.exists():
        raise LabError("there is no lab", str(lab.paths.state), "`unstuck-lab up` makes one")
    click.echo(file)


# Options after the first argument belong to the executed command.
PASS_ON = {"ignore_unknown_options": True, "allow_interspersed_args": False}


@main.command("kubectl", context_settings=PASS_ON, add_help_option=False)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def run_kubectl(args: Sequence[str]) -> None:
    """Run kubectl against the lab."""
    sys.exit(subprocess.call([*Lab.from_environment().kubectl_command, *args]))


@main.command("helm", context_settings=PASS_ON, add_help_option=False)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def run_helm(args: Sequence[str]) -> None:
    """Run helm against the lab; it is built first if necessary."""
    lab = Lab.from_environment()
    sys.exit(
        subprocess.call(
            lab.build_helm_command(lambda line: click.echo(line, err=True), *args), env=lab.helm_environment
        )
    )


@main.group(name="agent")
def manage_agent() -> None:
    """Run the agent on every node, installed from the project's chart."""


@manage_agent.command(name="up", context_settings=PASS_ON)
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def bring_up_agent(options: Sequence[str]) -> None:
    """Build and load its image, install or upgrade the chart with helm's OPTIONS (`--set
    agent.kubeletApi=true`), wait for it.
    """
    lab = _get_own_lab()
    if lab is not None:
        agent.bring_up(lab, lifecycle.make_stopwatch(click.echo), options)


@manage_agent.command(name="down")
def take_down_agent() -> None:
    """Uninstall the chart."""
    lab = _get_own_lab()
    if lab is not None:
        agent.take_down(lab, lifecycle.make_stopwatch(click.echo))


@main.command("node", context_settings=PASS_ON)
@click.argument("name", shell_complete=_complete_node)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def enter_node(name: str, command: Sequence[str]) -> None:
    """Run COMMAND on node NAME (by default a shell), and exit with its status."""
    box = Lab.from_environment().get_node(name).box
    argv = command[1:] if command[:1] == ("--",) else command
    sys.exit(subprocess.call(box.enter(argv or ["/bin/bash"], directory=Path.cwd()), env=make_environment()))


@main.command("fault")
@click.argument("name", shell_complete=_complete_fault)
@click.option("--no-wait", is_flag=True, help="Do not wait until it has taken hold.")
def apply_fault(name: str, no_wait: bool) -> None:
    """Apply fault NAME, and print the observation that it has taken hold. A fault that already holds is left
    alone.
    """
    lab = Lab.from_environment()
    found = catalogue.find(name)
    if not catalogue.ensure(lab, found):
        click.echo("it was applied already")
    if not no_wait:
        click.echo(catalogue.wait_held(lab, found))
    click.echo(f"ask about {found.subject}" + (f" -n {found.namespace}" if found.namespace else ""))


@main.command("heal")
@click.argument("name", shell_complete=_complete_fault, required=False)
@click.option("--all", "every", is_flag=True, help="All that are applied.")
def heal_faults(name: str | None, every: bool) -> None:
    """Undo fault NAME."""
    if (name is None) != every:
        raise click.UsageError("Give the name of a fault, or --all.")
    lab = Lab.from_environment()
    for found in catalogue.list_applied(lab) if name is None else [catalogue.find(name)]:
        catalogue.heal(lab, found)
        click.echo(f"healed: {found.name}")


@main.command("faults")
def list_faults() -> None:
    """List the faults."""
    lab = Lab.from_environment()
    applied = {found.name for found in catalogue.list_applied(lab)}
    for found in catalogue.list_faults():
        mark = "*" if found.name in applied else " "
        barred = "  (needs access to a node)" if lab.existing and found.needs_node_access else ""
        click.echo(f"{mark} {found.name:28} {found.scope:8} {found.summary}{barred}")


@main.command("matrix")
@click.argument("names", nargs=-1, shell_complete=_complete_fault)
def grade_faults(names: Sequence[str]) -> None:
    """Apply faults NAMES (by default all), ask `unstuck why` about each, and print the grade of each answer.

    Exits with status 1 if an answer was not good enough.
    """
    lab = Lab.from_environment()
    chosen = [catalogue.find(name) for name in names] if names else catalogue.list_faults()
    rows = run_matrix(lab, chosen, lifecycle.make_stopwatch(lambda line: click.echo(line, err=True)))
    for line in format_table(rows):
        click.echo(line)
    if not all(row.judged.ok for row in rows):
        sys.exit(1)
