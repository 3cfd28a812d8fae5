"""A process that ended inside the Pod is not reaped by its parent outside, so the container's first process
cannot end

## How it happens

A debugger, an agent or a runtime ran a command inside a container from outside (`nsenter`, `docker exec`).
Its parent lies outside the container's PID namespace. When the container is ended the command is killed with
it and becomes a zombie (`<defunct>`) until that parent takes its exit status. If the parent hangs or forgot
it, the first process of the namespace waits in the kernel for that, takes no further SIGKILL, and the
container stays.

## How to tell

Half a minute after the grace period the container's first process waits in `zap_pid_ns_processes`, and a
process of the same PID namespace is in state Z whose parent is outside. Both have given up their namespaces:
`/proc/PID/ns/mnt` and others lead nowhere, so that `exec` and hooks fail with `no such file or directory`.
The runtime says `container init still running`.

## Known limits

A process in D in the namespace holds its first process up in the same place: that is process.uninterruptible,
and no zombie is seen. A zombie whose parent is inside the container, or whose container keeps running, does
not block the deletion. A first process shown as a zombie with threads left (`Zl`) is not its parent's
fault: the last thread holds it, and is reported as process.uninterruptible.

## References

- pid_namespaces(7), wait(2); kernel/pid_namespace.c (zap_pid_ns_processes), kernel/exit.c; field notes
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import PodProcesses, Proc
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.stages.overdue import is_overdue
from unstuck.stages.waiting import reports

say = Messages(__name__)

_WAITS_FOR_ALL = "zap_pid_ns_processes"
_SAID: tuple[ErrorWord, ...] = ("init-still-running", "survives-kill", "deadline-exceeded")


def _rule(pod: Ref, snap: Facts) -> Signs:
    node = find_node_of_pod(pod, snap)
    unreaped = some(snap, PodProcesses, pod, lambda f: _list_zombies(f.items))
    waits = some(snap, PodProcesses, pod, lambda f: [p for p in f.items if p.waits_in == _WAITS_FOR_ALL])
    said = hearsay(
        snap, Failure, pod, lambda f: [f] if f.operation == "container-stop" and f.error in _SAID else []
    )
    asked: Sign[Any] = Sign(True) if unreaped.seen else reports(pod, snap)
    return Signs(
        applies=asked,
        necessary={
            "its grace period ended half a minute ago": is_overdue(pod, snap),
            "one of its processes has ended, and the parent outside does not reap it": unreaped,
        },
        decisive={"the first process of that PID namespace waits for it": waits},
        supporting={"ending its container failed": said},
        finding=lambda: _make_finding(pod, unreaped.hits[0], waits.hits, node.name if node else None),
    )


def _list_zombies(items: Sequence[Proc]) -> Iterator[Proc]:
    """Yield zombies whose parent is none of the Pod's processes, and could reap them: not before their own
    threads have ended.
    """
    inside = {p.pid for p in items}
    yield from (
        p for p in items if p.state == "Z" and p.parent and p.parent not in inside and not p.live_threads
    )


def _make_finding(pod: Ref, ended: Proc, waiting: tuple[Proc, ...], node: str | None) -> Finding:
    parent = f"{ended.parent} ({ended.parent_comm})" if ended.parent_comm else str(ended.parent)
    first = next((w for w in waiting if _space(w) == _space(ended)), waiting[0] if waiting else None)
    held = (
        say("; process {pid} ({comm}) cannot end before that", pid=first.pid, comm=first.comm)
        if first
        else NO_TEXT
    )
    where = place_on_node(node)
    stopped = (
        (
            say(
                "process {parent} is stopped (state {parent_state})",
                parent=parent,
                parent_state=ended.parent_state,
            ),
        )
        if ended.parent_state in ("T", "t")
        else ()
    )
    blocks = (pod, *(Ref("Process", node, str(p.pid)) for p in (ended, *waiting)))
    return Finding(
        say(
            (
                "Process {parent} on the node does not reap process {pid} ({comm}), which "
                "ended inside the Pod{held}"
            ),
            parent=parent,
            pid=ended.pid,
            comm=ended.comm,
            held=held,
        ),
        culprit=Ref("Process", node, str(ended.parent)),
        blocks=blocks,
        notes=stopped,
        help=(
            Step(
                say(
                    "end process {parent}: PID 1 then reaps its children; its own work is interrupted",
                    parent=parent,
                ),
                where=where,
                command=command("kill -KILL {pid}", pid=given.number(ended.parent or "PID")),
                risk="disrupts",
                verify=say("the container ends at once, and the Pod is then deleted"),
            ),
        ),
        do_not=(
            DoNot(
                say("kill the zombie or the container again, or force delete the Pod"),
                say(
                    "a zombie has already ended and handles no signals; after a force delete the container "
                    "stays on the node, hidden"
                ),
            ),
        ),
    )


def _space(process: Proc) -> str:
    return next((n for n in process.namespaces if n.startswith("pid:")), "")


CAUSE = Cause(
    id="process.zombies",
    title=say("an ended process is not reaped (zombie)"),
    subjects=("Pod",),
    stages=("containers-stopped",),
    reads=frozenset({PodProcesses, Failure, Deletion, Placement, ContainerStatuses, Conditions, Lease}),
    rule=_rule,
)
