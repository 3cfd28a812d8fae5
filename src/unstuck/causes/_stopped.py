"""A container's process that somebody has stopped: it runs for Kubernetes, holds its ports, and answers
nothing.
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.host import PodProcesses, Proc
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({ContainerStatuses, PodProcesses})


def tell_stopped(pod: Ref, container: str | None, snap: Facts, verify: Text) -> NodeWords:
    """Return the process of a container that is stopped (T) or held by a tracer (t)."""
    node = find_node_of_pod(pod, snap)
    if pod.kind != "Pod" or node is None or not node.name:
        return NodeWords()
    want = Want(PodProcesses, pod)
    ids = {
        s.container_id.rpartition("/")[2]
        for f in snap.of(ContainerStatuses, pod)
        for s in f.items
        if container in (s.name, None) and s.container_id
    }
    for found in snap.of(PodProcesses, pod):
        for proc in found.items:
            if proc.state in ("T", "t") and proc.container in ids:
                return _tell(node.name, proc, found, verify)
    return NodeWords(wants=() if snap.answered(want) else (want,))


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
