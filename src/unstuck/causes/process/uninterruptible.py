"""A process of the Pod cannot be killed: it waits in the kernel

## How it happens

A process that waits inside the kernel for a disk, a network file system or a driver may be in uninterruptible
sleep (state D). It does not even handle SIGKILL until that resource answers. The container cannot end, so the
Pod stays.

## How to tell

Half a minute after the grace period a process in the Pod's cgroup is still in state D; its `wchan` names the
kernel function that it waits in: `request_wait_answer` is FUSE, `rpc_wait_bit_killable` NFS, `io_schedule` a
block device. The Node stays Ready and the first Warning comes after some four minutes (`FailedKillPod …
DeadlineExceeded`).

## Known limits

D for a moment is ordinary. A task in a frozen cgroup of version 1 shows D as well, with an ordinary `wchan`:
then the freezer is the cause, so with such a `wchan` this stays open until the cgroup's state was seen. A
timeout names the waiting component, not the cause.

## References

- proc(5), Documentation/filesystems/fuse.rst; field notes
- pkg/kubelet/kuberuntime/kuberuntime_container.go (killContainer)
"""

from __future__ import annotations

from typing import Any

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, negate, some
from unstuck.diagnosis.text import NO_TEXT, Messages, make_text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import PodCgroup, PodProcesses, Proc
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.cgroups import find_frozen as frozen_groups
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.knowledge.waits import find_wait
from unstuck.stages.overdue import is_overdue, stop_timed_out
from unstuck.stages.waiting import reports

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    node = find_node_of_pod(pod, snap)
    stuck = some(snap, PodProcesses, pod, lambda f: [p for p in f.items if p.state == "D" or p.stuck_threads])
    in_io: Sign[Any] = (
        Sign(True, seen=stuck.seen) if any(find_wait(p.waits_in) for p in stuck.hits) else Sign(None)
    )
    frozen = some(snap, PodCgroup, pod, frozen_groups)
    timed_out = stop_timed_out(pod, snap)
    # While its Node does not report, no process there is killed, and this question does not arise by itself.
    return Signs(
        applies=Sign(True) if stuck.seen else reports(pod, snap),
        necessary={
            "its grace period ended half a minute ago": is_overdue(pod, snap),
            "a process of it is in D": stuck,
            "its cgroup is not frozen": in_io if in_io.value else negate(frozen),
        },
        decisive={"a process of it is in D": stuck},
        supporting={"ending its container timed out": timed_out},
        finding=lambda: _make_finding(pod, stuck.hits, (node.name if node else None)),
    )


def _make_finding(pod: Ref, stuck: tuple[Proc, ...], node: str | None) -> Finding:
    first = min(stuck, key=lambda p: (find_wait(p.waits_in) is None, p.pid))
    more = say(" (and {more} more)", more=len(stuck) - 1) if len(stuck) > 1 else NO_TEXT
    function = f" ({first.waits_in})" if first.waits_in else ""
    wait = find_wait(first.waits_in)
    target = make_text(wait.name) if wait else say("something in the kernel")
    where = place_on_node(node)
    return Finding(
        say(
            "Process {pid} ({comm}){more} of the Pod cannot be killed: it waits for {target}{function}",
            pid=first.pid,
            comm=first.comm,
            more=more,
            target=target,
            function=function,
        ),
        culprit=Ref("Process", node, str(first.pid)),
        # A runtime that waits for such a process does not tell its container's state.
        blocks=(pod, *dict.fromkeys(Ref("Task", node, p.container[:12]) for p in stuck if p.container)),
        help=(
            Step(
                say("restore or detach the resource it waits for ({target})", target=target),
                where=where,
                verify=say("the process ends at once, and the Pod is then deleted"),
            ),
            Step(
                say(
                    "only if nothing else helps: drain the other Pods and reboot the "
                    "node; everything on it stops"
                ),
                where=where,
                risk="disrupts",
            ),
        ),
        do_not=(
            DoNot(
                say("kill it again, or force delete the Pod"),
                say(
                    "SIGKILL is already pending; the process stays on the node and keeps writing once its "
                    "storage responds"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="process.uninterruptible",
    title=say("a process cannot be killed"),
    subjects=("Pod",),
    stages=("containers-stopped",),
    reads=frozenset(
        {PodProcesses, PodCgroup, Failure, Deletion, Placement, ContainerStatuses, Conditions, Lease}
    ),
    rule=_rule,
)
