"""The Pod's processes are frozen, so nothing can end them

## How it happens

Something froze a cgroup and did not thaw it: a pause of the container by its runtime, a checkpoint, a backup or batch tool that freezes
whole groups. In cgroup version 1 a frozen process acts on no signal, not even on SIGKILL, until it is thawed. The kubelet and the runtime
kill it in vain, and the Pod stays.

## How to tell

Half a minute after the grace period the freezer of the Pod's cgroup, of a directory below it or of a parent is set
(`freezer.self_freezing` is 1), and processes of the Pod are in it. The parents count: a frozen `kubepods` holds every Pod of the Node.
The API shows nothing; after some four minutes there may be a `FailedKillPod`.

## Known limits

In cgroup version 2 a frozen process still acts on SIGKILL, so freezing there delays an orderly end and does not hold a deletion up. A
frozen process shows state D, as one does that waits for a disk. Who froze it is written nowhere.

## References

- Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst and cgroup-v2.rst (`cgroup.freeze`)
- pkg/kubelet/cm/pod_container_manager_linux.go (tryKillingCgroupProcesses)
"""

from __future__ import annotations

from unstuck.causes._commands import on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import FrozenGroup, PodCgroup, PodProcesses
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import node_of
from unstuck.facts.lookup import Facts
from unstuck.stages.frozen import held_frozen
from unstuck.stages.overdue import overdue, stop_timed_out
from unstuck.stages.waiting import reports


def _rule(pod: Ref, snap: Facts) -> Signs:
    node = node_of(pod, snap)
    groups = held_frozen(pod, snap)
    return Signs(
        # While its Node does not report, nobody kills anything there, and this question does not arise by itself.
        applies=Sign(True) if groups.seen and node else reports(pod, snap),
        necessary={"its grace period ended half a minute ago": overdue(pod, snap), "a frozen cgroup holds processes of it": groups},
        decisive={"a frozen cgroup holds processes of it": groups},
        supporting={"ending its container timed out": stop_timed_out(pod, snap)},
        finding=lambda: _finding(pod, groups.hits, node, snap),
    )


def _finding(pod: Ref, groups: tuple[FrozenGroup, ...], node: Ref | None, snap: Facts) -> Finding:
    first = groups[0]
    name = node.name if node else None
    names = {p.pid: p.comm for f in snap.of(PodProcesses, pod) for p in f.items}
    pid = next((p for p in first.pids if p and names.get(p) != "pause"), first.pids[0])
    who = f"{pid} ({names[pid]})" if pid in names else str(pid)
    more = len({p for g in groups for p in g.pids}) - 1
    also = (f" and {more} more", f"（另有 {more} 个）") if more else ("", "")
    own = {p for f in snap.of(PodCgroup, pod) for p in f.paths}
    above = not any(f"{first.path}/".startswith(f"{p}/") for p in own)
    file = f"{first.path}/freezer.state"
    notes = (
        (
            Text(
                "this cgroup is a parent of the Pod's: it contains other Pods of the node as well",
                "该目录位于 Pod 之上：节点上的其他 Pod 也被冻结",
            ),
        )
        if above
        else ()
    )
    return Finding(
        Text(
            f"Process {who}{also[0]} of the Pod cannot be killed: cgroup {first.path} is frozen",
            f"Pod 的进程 {who}{also[1]} 无法被结束：cgroup {first.path} 已被冻结",
        ),
        culprit=Ref("Cgroup", name, first.path),
        blocks=(pod, *(Ref("Process", name, str(p)) for p in first.pids)),
        notes=notes,
        help=(
            Step(
                Text(
                    "thaw it: SIGKILL is already pending, so the processes end at once; if a tool freezes cgroups here, check it first",
                    "解冻：SIGKILL 已在等待处理，进程会立即结束；若有会冻结 cgroup 的工具，请先查明",
                ),
                where=on_node(name),
                command=command("echo THAWED | tee {file}", file=given.path(file)),
                risk="reversible",
                undo=command("echo FROZEN | tee {file}", file=given.path(file)),
                verify=Text("the Pod is deleted automatically within two minutes", "Pod 会在两分钟内自动删除"),
            ),
        ),
        do_not=(
            DoNot(
                Text("kill it again, or force delete the Pod", "再次 kill，或强制删除 Pod"),
                Text(
                    "a frozen process handles no signals; after a force delete it stays on the node with its memory, locks and volumes",
                    "被冻结的进程不处理任何信号；强制删除后，它仍带着内存、锁和卷留在节点上",
                ),
            ),
        ),
        enrich=(Want(PodProcesses, pod),) if pid not in names else (),
    )


CAUSE = Cause(
    id="process.frozen",
    title=Text("a Pod's processes are frozen", "Pod 的进程被冻结"),
    subjects=("Pod",),
    stages=("containers-stopped", "cgroup-removed"),
    reads=frozenset({PodCgroup, PodProcesses, Deletion, Failure, Placement, ContainerStatuses, Conditions, Lease}),
    rule=_rule,
)
