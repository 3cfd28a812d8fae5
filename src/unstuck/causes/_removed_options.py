"""What is known of an option that a program does not know: the release that took it away, and its place."""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.record import Record, record
from unstuck.knowledge.removed_options import KUBERNETES, RemovedOptions, find_removed_options

say = Messages(__name__)


@record()
class OptionRemoval(Record):
    """The removal of an option. says: continues the sentence that the program does not know it; empty if the
    program may be another. notes: removals that explain it if the program is theirs.

    change: what to change; None if the program may be another. look: where the option is found.
    """

    says: Text = NO_TEXT
    notes: tuple[Text, ...] = ()
    change: Text | None = None
    look: Step | None = None


def tell_removal(name: str, said_by: str) -> OptionRemoval:
    """Return what is known of an option's removal. said_by: see `find_removed_options`."""
    rows = (*find_removed_options(name, said_by),)
    if len(rows) == 1 and (program := _name_program(rows[0], said_by)):
        row = rows[0]
        return OptionRemoval(
            say("; {program} has no such option since {release}", program=program, release=row.release),
            change=_tell_change(name, row, program),
            look=_find_it(name, program) if program in (*KUBERNETES, "etcd") else None,
        )
    return OptionRemoval(notes=tuple(_tell_row(row) for row in rows))


def _name_program(row: RemovedOptions, said_by: str) -> str:
    """Return the program that lost the option; "" if another one may have said so."""
    if not row.program:
        return next((program for program in KUBERNETES if program in said_by), "")
    return row.program if row.program in said_by or not row.shared else ""


def _tell_change(name: str, row: RemovedOptions, program: str) -> Text:
    if row.instead:
        return say(
            "replace {name} with {instead} in the arguments of {program}",
            name=name,
            instead=row.instead,
            program=program,
        )
    return say("remove {name} from the arguments of {program}", name=name, program=program)


def _tell_row(row: RemovedOptions) -> Text:
    if not row.program:
        return say("Kubernetes' own programs have no such option since {release}", release=row.release)
    told = say(
        "if it is {program} that says so: it has no such option since {release}",
        program=row.program,
        release=row.release,
    )
    return told + (say(" ({instead} has taken its place)", instead=row.instead) if row.instead else NO_TEXT)


def _find_it(name: str, program: str) -> Step:
    return Step(
        say("see where it is set, on a node that kubeadm set up"),
        where=place_on_node(None),
        command=_search_for(name, program),
    )


def _search_for(name: str, program: str) -> Command:
    option = given.plain(name.lstrip("-"))
    if program == "kubelet":
        return command("grep -n {option} /var/lib/kubelet/kubeadm-flags.env", option=option)
    return command("grep -rn {option} /etc/kubernetes/manifests", option=option)
