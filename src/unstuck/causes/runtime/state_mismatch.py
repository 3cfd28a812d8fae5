"""The runtime's record of a container disagrees with its task and its processes

## How it happens

The runtime keeps a state of each container and changes it when an exit is reported. That report can get lost:
the daemon was killed or stopped while the container ended, its disk was full, the shim that should report it
hangs. From then on the runtime's state is wrong: it waits for the end of a process that no longer exists, or
has forgotten one that lives.

## How to tell

Three sources that do not ask each other: the runtime (its answer, or its file: containerd's `status`,
docker's `config.v2.json`), the task directory with its shim, and the processes of the container's cgroup.
"Running" with no process that lives, "exited" with the very process that was started with it, or "running"
with neither task nor shim; and the same again half a second later. `docker ps` says Up while `docker exec`
says `no such container` or `cannot exec in a stopped state`, `docker kill` says `container destroyed`, or
`kill` of the pid that `docker inspect` shows says `No such process`.

## Known limits

Containers inside their own machine (kata, gVisor) have no processes on the node and are left out. One look
alone leaves it likely, because a container may end between two readings. A process that waits in the kernel
is process.uninterruptible, not this.

## References

- moby for-linux issue 779; containerd pkg/cri/store/container/status.go
- pkg/kubelet/kuberuntime (killContainer); field notes
"""

from __future__ import annotations

from typing import Any

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, some
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.objects import Conditions, Deletion, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.aspects.runtime import ContainerSeen, RuntimeContainers
from unstuck.facts.core import Ref
from unstuck.facts.derive.runtime import find_disagreement, is_shim_stopped, list_live_processes
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import is_overdue
from unstuck.stages.runtime import waits_for_runtime
from unstuck.stages.waiting import find_node_under, reports, waits_for_kubelet

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    odd = some(snap, RuntimeContainers, subject, lambda f: [c for c in f.items if _odd(c)])
    lasting = some(
        snap, RuntimeContainers, subject, lambda f: [c for c in f.items if _odd(c)] if f.steady else []
    )
    twice: Sign[Any] = lasting if lasting.value is not False or not odd.value else Sign(None)
    # A Pod raises this question by itself only when its containers should be gone by now.
    itself: Sign[Any] = all_of(
        [is_overdue(subject, snap), waits_for_runtime(subject, snap), reports(subject, snap)]
    )
    raised: Sign[Any] = Sign(True) if subject.kind == "Node" or odd.value else itself
    return Signs(
        # The container on a machine shows that its Pod is on a Node: until that Node is known, this is likely
        # at most.
        applies=all_of([raised, under, waits_for_kubelet(subject, snap)]),
        decisive={"they disagree at two looks": twice},
        supporting={"the runtime and the processes disagree": odd},
        finding=lambda: _make_finding(subject, under.hits[0] if under.hits else Ref("Node"), odd.hits),
    )


def _odd(container: ContainerSeen) -> bool:
    """Tell whether the runtime's state is wrong: a task that waits in the kernel is another cause, regardless
    of the runtime's report.
    """
    return find_disagreement(container) is not None and not any(
        p.state == "D" or p.stuck_threads for p in list_live_processes(container)
    )


def make_task_ref(node: Ref, container: ContainerSeen) -> Ref:
    """Return a container as a thing of its node."""
    return Ref("Task", node.name, container.id[:12])


def _make_finding(subject: Ref, node: Ref, odd: tuple[ContainerSeen, ...]) -> Finding:
    first = odd[0]
    more = len(odd) - 1
    says = _says(first, node.name or "NODE")
    if more:
        says += say(" (and {more} more such containers)", more=more)
    return Finding(
        says,
        culprit=make_task_ref(node, first),
        blocks=(subject,),
        help=_help(first, f"node:{node.name or 'NODE'}"),
        do_not=(
            DoNot(
                say("force delete the Pod, or remove the task's directory by hand"),
                say(
                    "the runtime keeps its wrong state, and a surviving process keeps writing "
                    "alongside its replacement"
                ),
            ),
        ),
    )


def _says(container: ContainerSeen, node: str) -> Text:
    word = container.word
    daemon, state = (word.daemon, word.state) if word else ("?", "?")
    name = f'"{container.name}"' if container.name else container.id[:12]
    head = say("{daemon} reports container {name} as {state}", daemon=daemon, name=name, state=state)
    match find_disagreement(container):
        case "process-gone":
            return head + say(", but none of its processes is alive on Node {node}", node=node)
        case "task-ended":
            return head + say(", but containerd reports its task as ended")
        case "process-left":
            first = list_live_processes(container)[0]
            return head + say(
                ", but its process {pid} ({comm}) is alive on Node {node}",
                pid=first.pid,
                comm=first.comm,
                node=node,
            )
        case _:
            first = list_live_processes(container)[0]
            return head + say(
                (
                    "; neither its task nor its shim exists, but its process {pid} ({comm}) is alive on "
                    "Node {node}"
                ),
                pid=first.pid,
                comm=first.comm,
                node=node,
            )


def _help(container: ContainerSeen, where: str) -> tuple[Step, ...]:
    word = container.word
    daemon = word.daemon if word else "containerd"
    agree = say("runtime and processes agree, and pending work continues automatically")
    if is_shim_stopped(container) and container.shim:
        pid = str(container.shim.pid)
        return (
            Step(
                say("resume its shim: it then reports the actual state"),
                where=where,
                command=command("kill -CONT {pid}", pid=given.number(pid)),
                risk="reversible",
                undo=command("kill -STOP {pid}", pid=given.number(pid)),
                verify=agree,
            ),
        )
    if find_disagreement(container) not in ("process-gone", "task-ended"):
        first = list_live_processes(container)[0]
        return (
            Step(
                say("end this unmanaged process; its unwritten data is lost"),
                where=where,
                command=command("kill {pid}", pid=given.number(first.pid)),
                risk="disrupts",
                verify=agree,
            ),
        )
    if daemon in ("dockerd", "cri-dockerd"):
        return (
            Step(
                say(
                    "restart dockerd in a maintenance window: it rereads the states; its other containers "
                    "go down unless live-restore is on"
                ),
                where=where,
                command=command("systemctl restart docker"),
                risk="disrupts",
                verify=agree,
            ),
        )
    return (
        Step(
            say(
                (
                    "restart {daemon}: it asks the shims again; containers keep running, and meanwhile no "
                    "Pod starts or stops there"
                ),
                daemon=daemon,
            ),
            where=where,
            command=command("systemctl restart {unit}", unit=given.unit(daemon)),
            risk="disrupts",
            verify=agree,
        ),
    )


CAUSE = Cause(
    id="runtime.state-mismatch",
    title=say("the runtime's record of a container is wrong"),
    subjects=("Node", "Pod"),
    reads=frozenset({RuntimeContainers, Placement, Deletion, Phase, Conditions, Lease, ContainerStatuses}),
    aliases=("runtime.exit-event-lost",),
    rule=_rule,
)
