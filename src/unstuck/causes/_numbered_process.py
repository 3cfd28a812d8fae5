"""Identify the process whose number a program names when it believes that it, or another, runs already."""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes._node_place import find_node_place, list_wants_of_place
from unstuck.causes._path_volume import find_paths
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.node_processes import NumberedProcess
from unstuck.facts.aspects.pod import Containers, Placement, Volumes
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Containers, NumberedProcess, Placement})
_NUMBER = regex(r"(?i)\b(?:pid|process(?:[ _-](?:id|number))?)\b[ \t=:#(\[]{0,4}(?P<number>[1-9]\d{0,6})\b")
_RUNS = regex(r"(?i)already|another|running|exist|alive|still|held|locked|in use|in progress")


def tell_process(pod: Ref, container: str | None, line: str, snap: Facts, verify: Text) -> NodeWords:
    """Return the process whose number a line names; empty if the Pod has its own PID namespace, or the line
    has no number.
    """
    named, node = _NUMBER.search(line), find_node_of_pod(pod, snap)
    shared = any(f.host_pid for f in snap.of(Containers, pod))
    if named is None or not _RUNS.search(line):
        return NodeWords()
    if node is None or not node.name or not shared:
        return NodeWords(wants=tuple(w for w in list_wants_of_place(pod, snap) if w.fact is not Volumes))
    about = Ref("Process", node.name, named["number"])
    want = Want(NumberedProcess, about)
    found = next((f for f in snap.of(NumberedProcess, about) if f.whole), None)
    if found is None:
        return NodeWords(wants=() if snap.answered(want) else (want,))
    own = found.proc is not None and found.proc.pod is not None and found.proc.pod == snap.canon(pod).uid
    steps = () if own else _help(pod, container, line, found, snap, verify)
    return NodeWords(_describe(found), steps, (found,), replaces=bool(steps))


def _describe(found: NumberedProcess) -> Text:
    node, pid = found.about.within or "", found.about.name or ""
    if found.proc is None:
        return say("; on Node {node} no process has the number {pid}", node=node, pid=pid)
    program = found.program or found.proc.comm
    if found.pod and found.pod.name:
        return say(
            "; on Node {node} process {pid} is {program} of Pod {space}/{pod}",
            node=node,
            pid=pid,
            program=program,
            space=found.pod.within or "",
            pod=found.pod.name,
        )
    if found.proc.unit:
        return say(
            "; on Node {node} process {pid} is {program} of unit {unit}",
            node=node,
            pid=pid,
            program=program,
            unit=found.proc.unit,
        )
    return say(
        "; on Node {node} process {pid} is {program}, which belongs to no Pod",
        node=node,
        pid=pid,
        program=program,
    )


def _help(
    pod: Ref, container: str | None, line: str, found: NumberedProcess, snap: Facts, verify: Text
) -> tuple[Step, ...]:
    """Return the look at the process, and the removal of the file that still holds its number."""
    node, pid = found.about.within or "", found.about.name or ""
    look = Step(
        say("see what process {pid} of Node {node} is, and since when", pid=pid, node=node),
        where=place_on_node(node),
        command=command("ps -o pid,ppid,lstart,args -p {pid}", pid=given.number(int(pid))),
    )
    places = [p for one in find_paths(line) if (p := find_node_place(pod, container, one, snap))]
    file = next((p.path.name for p in places if p.type == "hostPath" and p.path.name), None)
    if file is None:
        return (look,)
    away = Step(
        say(
            "if that is not the program that it looks for, the number in {file} is a leftover: move the "
            "file away; the process itself has nothing to do with it",
            file=file,
        ),
        where=place_on_node(node),
        command=command("mv {file} {away}", file=given.path(file), away=given.path(f"{file}.old")),
        risk="reversible",
        undo=command("mv {away} {file}", file=given.path(file), away=given.path(f"{file}.old")),
        verify=verify,
    )
    return (look, away)
