"""The Pod's processes are frozen, so nothing can end them

## How it happens

A cgroup was frozen and not thawed: a pause of the container by its runtime, a checkpoint, a backup or batch
tool that freezes whole groups. In cgroup version 1 a frozen process handles no signal, not even SIGKILL,
until it is thawed. The kubelet and the runtime kill it in vain, and the Pod stays.

## How to tell

Half a minute after the grace period the freezer of the Pod's cgroup, of a directory below it or of a parent
is set (`freezer.self_freezing` is 1), and processes of the Pod are in it. The parents count: a frozen
`kubepods` holds every Pod of the Node. The API shows no sign of it; after some four minutes there may be a
`FailedKillPod`.

## Known limits

In cgroup version 2 a frozen process still acts on SIGKILL, so freezing there delays an orderly end and does
not hold a deletion up. A frozen process shows state D, like a process that waits for a disk. The author of
the freeze is not recorded.

## References

- Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst and cgroup-v2.rst (`cgroup.freeze`)
- pkg/kubelet/cm/pod_container_manager_linux.go (tryKillingCgroupProcesses)
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import FrozenGroup, PodCgroup, PodProcesses
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.stages.frozen_cgroups import is_held_frozen
from unstuck.stages.overdue import is_overdue, stop_timed_out
from unstuck.stages.waiting import reports

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    node = find_node_of_pod(pod, snap)
    groups = is_held_frozen(pod, snap)
    return Signs(
        # While its Node does not report, no process there is killed, and this question does not arise by
        # itself.
        applies=Sign(True) if groups.seen and node else reports(pod, snap),
        necessary={
            "its grace period ended half a minute ago": is_overdue(pod, snap),
            "a frozen cgroup holds processes of it": groups,
        },
        decisive={"a frozen cgroup holds processes of it": groups},
        supporting={"ending its container timed out": stop_timed_out(pod, snap)},
        finding=lambda: _make_finding(pod, groups.hits, node, snap),
    )


def _make_finding(pod: Ref, groups: tuple[FrozenGroup, ...], node: Ref | None, snap: Facts) -> Finding:
    first = groups[0]
    name = node.name if node else None
    names = {p.pid: p.comm for f in snap.of(PodProcesses, pod) for p in f.items}
    pid = next((p for p in first.pids if p and names.get(p) != "pause"), first.pids[0])
    who = f"{pid} ({names[pid]})" if pid in names else str(pid)
    more = len({p for g in groups for p in g.pids}) - 1
    also = say(" and {more} more", more=more) if more else NO_TEXT
    own = {p for f in snap.of(PodCgroup, pod) for p in f.paths}
    above = not any(is_at_or_below(first.path, p) for p in own)
    file = f"{first.path}/freezer.state"
    notes = (
        (say("this cgroup is a parent of the Pod's: it contains other Pods of the node as well"),)
        if above
        else ()
    )
    return Finding(
        say(
            "Process {who}{also} of the Pod cannot be killed: cgroup {path} is frozen",
            who=who,
            also=also,
            path=first.path,
        ),
        culprit=Ref("Cgroup", name, first.path),
        blocks=(pod, *(Ref("Process", name, str(p)) for p in first.pids)),
        notes=notes,
        help=(
            Step(
                say(
                    "thaw it: SIGKILL is already pending, so the processes end at once; if a tool freezes "
                    "cgroups here, check it first"
                ),
                where=place_on_node(name),
                command=command("echo THAWED | tee {file}", file=given.path(file)),
                risk="reversible",
                undo=command("echo FROZEN | tee {file}", file=given.path(file)),
                verify=say("the Pod is deleted automatically within two minutes"),
            ),
        ),
        do_not=(
            DoNot(
                say("kill it again, or force delete the Pod"),
                say(
                    "a frozen process handles no signals; after a force delete it stays on the node with "
                    "its memory, locks and volumes"
                ),
            ),
        ),
        enrich=(Want(PodProcesses, pod),) if pid not in names else (),
    )


CAUSE = Cause(
    id="process.frozen",
    title=say("a Pod's processes are frozen"),
    subjects=("Pod",),
    stages=("containers-stopped", "cgroup-removed"),
    reads=frozenset(
        {PodCgroup, PodProcesses, Deletion, Failure, Placement, ContainerStatuses, Conditions, Lease}
    ),
    rule=_rule,
)
