"""Find a container's stopped process: it runs for Kubernetes, holds its ports, and answers no request."""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.host import PodCgroup, PodProcesses, Proc
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod, list_container_ids
from unstuck.facts.lookup import Facts

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({ContainerStatuses, PodCgroup, PodProcesses})
_UNIFIED = 2


def tell_stopped(pod: Ref, container: str | None, snap: Facts, verify: Text) -> NodeWords:
    """Return the process of a container that is stopped (T) or held by a tracer (t)."""
    node = find_node_of_pod(pod, snap)
    if pod.kind != "Pod" or node is None or not node.name:
        return NodeWords()
    want = Want(PodProcesses, pod)
    ids = list_container_ids(pod, container, snap)
    for found in snap.of(PodProcesses, pod):
        for proc in found.items:
            if proc.state in ("T", "t") and proc.container in ids:
                return _tell(node.name, proc, found, verify)
    frozen = Want(PodCgroup, pod)
    for group in snap.of(PodCgroup, pod):
        if group.stopped:
            return _tell_frozen(node.name, group, verify)
    return NodeWords(wants=tuple(w for w in (want, frozen) if not snap.answered(w)))


def _tell_frozen(node: str, group: PodCgroup, verify: Text) -> NodeWords:
    one = group.stopped[0]
    file = "cgroup.freeze" if one.version == _UNIFIED else "freezer.state"
    says = say(
        "; on Node {node} its control group {path} is frozen ({state})",
        node=node,
        path=one.path,
        state=one.state,
    )
    see = Step(
        say("see its state, and find out who froze it"),
        where=place_on_node(node),
        command=command("cat {path}", path=given.path(f"{one.path}/{file}")),
    )
    thaw = Step(
        say(
            "thaw it there unless it is frozen on purpose: write {word} to {file}",
            word="0" if one.version == _UNIFIED else "THAWED",
            file=file,
        ),
        where=place_on_node(node),
        verify=verify,
    )
    return NodeWords(says, (see, thaw), (group,), decides=True, replaces=True)


def _tell(node: str, proc: Proc, found: PodProcesses, verify: Text) -> NodeWords:
    traced = proc.state == "t"
    pid, comm = proc.pid, proc.comm
    says = (
        say(
            "; on Node {node} its process {pid} ({comm}) is held by a debugger (state t)",
            node=node,
            pid=pid,
            comm=comm,
        )
        if traced
        else say(
            "; on Node {node} its process {pid} ({comm}) is stopped (state T), by a signal or a debugger",
            node=node,
            pid=pid,
            comm=comm,
        )
    )
    see = Step(
        say("see who traces it: TracerPid is 0 for a signal alone"),
        where=place_on_node(node),
        command=command("grep -E '^(State|TracerPid)' /proc/{pid}/status", pid=given.number(proc.pid)),
    )
    end = Step(
        say("end the debugger; without one, let the process go on with the signal CONT"),
        where=place_on_node(node),
        verify=verify,
    )
    return NodeWords(says, (see, end), (found,), decides=True, replaces=True)
