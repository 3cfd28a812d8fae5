"""The shim of a Pod's containers does not respond

## How it happens

Every container of containerd and docker has a shim, the parent of its processes: it passes on signals, keeps
the exit status and reports the end to the runtime. A shim that was stopped with a signal, or waits in the
kernel, does none of that. The runtime's calls for this one Pod time out after two minutes each; the rest of
the Node is healthy.

## How to tell

The shim's process is in state T, or in D long after the Pod should have been removed. A container process
that ended below it stays a zombie, and the runtime still calls its container running. The API shows no sign
of it for some four minutes, then `FailedKillPod … DeadlineExceeded`.

## Known limits

D for a moment is ordinary, and counts only half a minute after the grace period. A shim that has been killed
is no such case: containerd notices and cleans up.

## References

- containerd runtime/v2/README.md; proc(5), signal(7)
- pkg/kubelet/kuberuntime/kuberuntime_container.go (killContainer); field notes
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, some
from unstuck.diagnosis.text import Messages, make_text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.aspects.runtime import ContainerSeen, RuntimeContainers
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.derive.runtime import is_shim_stopped, list_live_processes
from unstuck.facts.lookup import Facts
from unstuck.knowledge.waits import find_wait
from unstuck.stages.overdue import is_overdue, stop_timed_out
from unstuck.stages.runtime import waits_for_runtime
from unstuck.stages.waiting import reports, waits_for_kubelet

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    late = bool(is_overdue(pod, snap).value)
    hung = some(
        snap,
        RuntimeContainers,
        pod,
        lambda f: [c for c in f.items if is_shim_stopped(c) or (late and _in_kernel(c))],
    )
    timed_out = stop_timed_out(pod, snap, ("container-stop", "sandbox-stop"))
    # A Pod raises this question by itself only when it should be gone by now; a shim that was seen in T
    # raises it at once.
    return Signs(
        applies=Sign(True)
        if hung.value
        else all_of([is_overdue(pod, snap), waits_for_runtime(pod, snap), reports(pod, snap)]),
        necessary={"it waits for its kubelet": waits_for_kubelet(pod, snap), "its shim is not running": hung},
        decisive={"its shim is not running": hung},
        supporting={"ending its container timed out": timed_out},
        finding=lambda: _make_finding(pod, hung.hits, find_node_of_pod(pod, snap) or Ref("Node")),
    )


def _in_kernel(container: ContainerSeen) -> bool:
    return container.shim is not None and (container.shim.state == "D" or container.shim.stuck_threads > 0)


def _make_finding(pod: Ref, hung: tuple[ContainerSeen, ...], node: Ref) -> Finding:
    first = min(hung, key=lambda c: (not is_shim_stopped(c), c.id))
    shim = first.shim
    pid, where, name = str(shim.pid) if shim else "PID", f"node:{node.name or 'NODE'}", node.name or "NODE"
    blocked = [Ref("Task", node.name, c.id[:12]) for c in hung]
    dead = [Ref("Process", node.name, str(p.pid)) for c in hung for p in c.processes or () if p.state == "Z"]
    if is_shim_stopped(first):
        says = say(
            "The shim {pid} of the Pod's containers is suspended (state T) on Node {name}", pid=pid, name=name
        )
        step = Step(
            say("resume it"),
            where=where,
            command=command("kill -CONT {pid}", pid=given.number(pid)),
            risk="reversible",
            undo=command("kill -STOP {pid}", pid=given.number(pid)),
            verify=say("the containers end within seconds, and the Pod is then deleted"),
        )
    else:
        wait = find_wait(shim.waits_in) if shim else None
        target = make_text(wait.name) if wait else say("something in the kernel")
        says = say(
            "The shim {pid} of the Pod's containers is blocked: it waits for {target} on Node {name}",
            pid=pid,
            target=target,
            name=name,
        )
        step = Step(
            say("restore or detach the resource it waits for ({target})", target=target),
            where=where,
            verify=say("the shim resumes, and the Pod is then deleted"),
        )
    return Finding(
        says,
        culprit=Ref("Process", node.name, pid),
        blocks=(pod, *dict.fromkeys((*blocked, *dead))),
        help=(step,),
        do_not=(_do_not_kill(any(list_live_processes(c) for c in hung)),),
    )


def _do_not_kill(lives: bool) -> DoNot:
    act = say("kill the shim, or force delete the Pod")
    if lives:
        return DoNot(
            act,
            say(
                "its container processes are alive: killed with the shim they lose unwritten data, left "
                "behind they keep writing"
            ),
        )
    return DoNot(act, say("the exit status of its containers is lost with it"))


CAUSE = Cause(
    id="runtime.shim-hung",
    title=say("the shim of the containers does not respond"),
    subjects=("Pod",),
    reads=frozenset(
        {RuntimeContainers, Failure, Deletion, Placement, Phase, Conditions, Lease, ContainerStatuses}
    ),
    rule=_rule,
)
