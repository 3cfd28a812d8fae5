"""Commands of this program, and of kubectl, that an answer proposes to ask again or from nearer."""

from __future__ import annotations

from collections.abc import Iterable

from unstuck.diagnosis import given
from unstuck.diagnosis.command import Command, Words, command
from unstuck.facts.core import Ref


def name_subject(subject: Ref) -> Command:
    """Return the arguments that name this object to a further command: `pod/web-0 -n shop`."""
    return command("{object} {space}", object=_object(subject), space=given.space(subject))


def ask_why(subject: Ref) -> Command:
    """Ask about this object."""
    return command("unstuck why {object} {space}", object=_object(subject), space=given.space(subject))


def ask_by_ssh(subject: Ref, node: str) -> Command:
    """Ask about this object, with the operator's own ssh to this Node."""
    return command(
        "unstuck why {object} {space} --ssh={node}",
        object=_object(subject),
        space=given.space(subject),
        node=given.bare("Node", node),
    )


def ask_by_probe(subject: Ref) -> Command:
    """Ask about this object, with a Pod that looks at its Node."""
    return command(
        "unstuck why {object} {space} --probe", object=_object(subject), space=given.space(subject)
    )


def ask_on_node(subject: Ref) -> Command:
    """Ask on the Node for its own evidence, and for that about the subject if it is a Pod."""
    pod = given.uid(subject.uid) if subject.kind == "Pod" and subject.uid else given.NOTHING
    return command("unstuck node --here --pod={pod}", pod=pod)


def ask_about_file(file: str) -> Command:
    """Ask about a file."""
    return command("unstuck read {file}", file=given.file(file))


def describe(subject: Ref) -> Command:
    """Describe this object with kubectl."""
    return command("kubectl describe {object} {space}", object=given.of(subject), space=given.space(subject))


def describe_pods(workload: Ref) -> Command:
    """Describe the Pods of a workload with kubectl: all Pods whose names begin with its own, if none has that
    name.
    """
    return command(
        "kubectl describe pods {prefix} {space}",
        prefix=given.prefix(workload.kind, workload.name),
        space=given.space(workload),
    )


def get_as_yaml(subject: Ref) -> Command:
    """Get the object as YAML."""
    return command(
        "kubectl get {object} {space} -o yaml", object=given.of(subject), space=given.space(subject)
    )


def get_events_about(subject: Ref) -> Command:
    """Get the Events about this object."""
    return command(
        "kubectl get events {space} --field-selector involvedObject.name={name}",
        space=given.space(subject),
        name=given.bare(subject.kind, subject.name),
    )


def get_all_events() -> Command:
    """Get all Events, the latest last."""
    return command("kubectl get events -A --sort-by=.lastTimestamp")


def read_kubelet_log() -> Command:
    """Read the last hour of the kubelet's log; on the Node."""
    return command("journalctl -u kubelet --since -1h")


def collect(subject: Ref) -> Command:
    """Write all facts about this object to a file, for use elsewhere."""
    return command(
        "unstuck collect {object} {space} -o stuck.tar.gz",
        object=_object(subject),
        space=given.space(subject),
    )


def pipe(output_of: Command, files: Iterable[str]) -> Command:
    """Pipe a command's output into this program, together with the files given before."""
    return command(
        "{output} | unstuck read {files} -",
        output=given.words_of(output_of),
        files=given.together(given.file(name) for name in files),
    )


def _object(subject: Ref) -> Words:
    return given.obj(subject.kind, subject.name or subject.uid)
