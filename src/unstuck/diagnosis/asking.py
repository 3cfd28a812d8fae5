"""How to ask again, or from nearer: the commands of this program that an answer names."""

from __future__ import annotations

from collections.abc import Iterable

from unstuck.diagnosis import given
from unstuck.diagnosis.command import Command, Words, command
from unstuck.facts.core import Ref


def name_subject(subject: Ref) -> Command:
    """Return the words by which a further command is told of this object: `pod/web-0 -n shop`."""
    return command("{object} {space}", object=_object(subject), space=given.space(subject))


def ask_why(subject: Ref) -> Command:
    """Return the question about this object."""
    return command("unstuck why {object} {space}", object=_object(subject), space=given.space(subject))


def ask_by_ssh(subject: Ref, node: str) -> Command:
    """Return the question about this object, with the operator's own ssh to this Node."""
    return command(
        "unstuck why {object} {space} --ssh={node}",
        object=_object(subject),
        space=given.space(subject),
        node=given.bare("Node", node),
    )


def ask_by_probe(subject: Ref) -> Command:
    """Return the question about this object, with a Pod that looks at its Node."""
    return command("unstuck why {object} {space} --probe", object=_object(subject), space=given.space(subject))


def ask_on_node(subject: Ref) -> Command:
    """Return what a Node knows of itself, and of the subject where that is a Pod; on the Node."""
    pod = given.uid(subject.uid) if subject.kind == "Pod" and subject.uid else given.NOTHING
    return command("unstuck node --here --pod={pod}", pod=pod)


def ask_about_file(file: str) -> Command:
    """Return the question about a file."""
    return command("unstuck read {file}", file=given.file(file))


def describe(subject: Ref) -> Command:
    """Return what kubectl describes of this object."""
    return command("kubectl describe {object} {space}", object=given.of(subject), space=given.space(subject))


def describe_pods(workload: Ref) -> Command:
    """Describe the Pods of a workload with kubectl: all those whose names begin with its own, if none has that name."""
    return command("kubectl describe pods {prefix} {space}", prefix=given.prefix(workload.kind, workload.name), space=given.space(workload))


def get_as_yaml(subject: Ref) -> Command:
    """Return the object as YAML."""
    return command("kubectl get {object} {space} -o yaml", object=given.of(subject), space=given.space(subject))


def get_events_about(subject: Ref) -> Command:
    """Return the Events about this object."""
    return command(
        "kubectl get events {space} --field-selector involvedObject.name={name}",
        space=given.space(subject),
        name=given.bare(subject.kind, subject.name),
    )


def get_all_events() -> Command:
    """Return all Events, the latest last."""
    return command("kubectl get events -A --sort-by=.lastTimestamp")


def read_kubelet_log() -> Command:
    """Return what a Node's kubelet said within the hour; on the Node."""
    return command("journalctl -u kubelet --since -1h")


def collect(subject: Ref) -> Command:
    """Write all facts about this object to a file, for use elsewhere."""
    return command("unstuck collect {object} {space} -o stuck.tar.gz", object=_object(subject), space=given.space(subject))


def pipe(output_of: Command, files: Iterable[str]) -> Command:
    """Return what a command prints, read together with files that were given before."""
    return command(
        "{output} | unstuck read {files} -",
        output=given.words_of(output_of),
        files=given.together(given.file(name) for name in files),
    )


def _object(subject: Ref) -> Words:
    return given.obj(subject.kind, subject.name or subject.uid)
