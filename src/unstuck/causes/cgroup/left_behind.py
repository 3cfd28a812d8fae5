"""The Pod's cgroup cannot be removed

## How it happens

When a Pod's containers have ended and its volumes are unmounted, the kubelet kills the processes left in the
Pod's cgroup and removes the directory. An unkillable process blocks that: it waits in the kernel, is in a PID
namespace that the kubelet does not see (a kubelet in a container without `hostPID`, a host tool that joined
the group), or is restarted repeatedly.

## How to tell

All earlier steps are done, half a minute has passed since the grace period, and the directory still exists,
with processes in it or with the kubelet's message `Failed to delete cgroup paths`. The API shows nothing: the
Pod reads Failed or Succeeded and stays.

## Known limits

A frozen cgroup is process.frozen, another fault. An empty directory without a word of the kubelet is only
likely: it may be removed in the next moment. A process of another PID namespace can be counted
(`pids.current`, `0` in `cgroup.procs`) and not be named from here.

## References

- pkg/kubelet/cm/pod_container_manager_linux.go (Destroy, tryKillingCgroupProcesses)
- cgroups(7), "Removing cgroups"; pid_namespaces(7)
"""

from __future__ import annotations

from typing import Any

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, hearsay, negate, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import PodCgroup, PodMounts, PodProcesses
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.stages.frozen_cgroups import is_held_frozen
from unstuck.stages.overdue import is_overdue
from unstuck.stages.waiting import reports

say = Messages(__name__)


@record()
class _Held(Record):
    """A directory and a process in it; 0 if of another PID namespace, None for an empty directory."""

    path: str
    pid: int | None


def _rule(pod: Ref, snap: Facts) -> Signs:
    there: Sign[str] = some(snap, PodCgroup, pod, lambda f: f.paths)
    seen: Sign[_Held] = some(snap, PodCgroup, pod, lambda f: [h for h in _find_held(f) if h.pid])
    counted: Sign[_Held] = some(snap, PodCgroup, pod, lambda f: [h for h in _find_held(f) if not h.pid])
    # A zombie is counted too, and keeps no directory.
    no_zombie: Sign[Any] = negate(
        some(snap, PodProcesses, pod, lambda f: [p for p in f.items if p.state == "Z"])
    )
    held: Sign[Any] = seen if seen.value or not counted.value else all_of([no_zombie, counted])
    refused = hearsay(snap, Failure, pod, lambda f: [f] if f.operation == "cgroup-remove" else [])
    return Signs(
        # A kubelet that does not report removes no directory: then the question is about the kubelet.
        applies=reports(pod, snap),
        necessary={
            "its grace period ended half a minute ago": is_overdue(pod, snap),
            "nothing in it is frozen": negate(is_held_frozen(pod, snap)),
        },
        decisive={"it contains processes": held, "the kubelet cannot remove it": refused},
        # The kubelet reaches this step only after the last volume.
        supporting={
            "its cgroup exists": Sign(None) if any(f.items for f in snap.of(PodMounts, pod)) else there
        },
        finding=lambda: _make_finding(
            pod,
            (*held.hits, *(_Held(p, None) for p in there.hits), _Held("", None))[0],
            find_node_of_pod(pod, snap),
            snap,
        ),
    )


def _find_held(fact: PodCgroup) -> list[_Held]:
    if not fact.paths or not fact.procs:
        return []
    where = (*fact.occupied, *fact.paths)[0]
    named = [p for p in fact.procs if p > 0]
    return [_Held(where, p) for p in named] or [_Held(where, 0)]


def _make_finding(pod: Ref, held: _Held, node: Ref | None, snap: Facts) -> Finding:
    name = node.name if node else None
    where = place_on_node(name)
    names = {p.pid: p.comm for f in snap.of(PodProcesses, pod) for p in f.items}
    who = f"{held.pid} ({names[held.pid]})" if held.pid in names else str(held.pid)
    verify = say("the kubelet removes the directory and the Pod within seconds")
    if held.pid:
        says = say("The Pod's cgroup cannot be removed: process {who} is in {path}", who=who, path=held.path)
        step = Step(
            say(
                "find out what it is and who owns it; then end it, or move it to another cgroup if it must "
                "keep running"
            ),
            where=where,
            command=command("ps -o pid,ppid,stat,lstart,wchan:32,comm -p {pid}", pid=given.number(held.pid)),
            verify=verify,
        )
    elif held.pid == 0:
        says = say(
            "The Pod's cgroup cannot be removed: a process of another PID namespace is in {path}",
            path=held.path,
        )
        step = Step(
            say(
                (
                    "look at {path}/cgroup.procs from the machine's own PID namespace, find its owner, and "
                    "end or move it"
                ),
                path=held.path,
            ),
            where=where,
            verify=verify,
        )
    else:
        says = say("The Pod's cgroup {path} was not removed; no process can be seen in it", path=held.path)
        step = Step(
            say("remove the empty directory, its children first; rmdir refuses while anything is in it"),
            where=where,
            command=command("find {path} -depth -type d -exec rmdir '{}' ';'", path=given.path(held.path)),
            verify=verify,
        )
    path = next((p for f in snap.of(PodCgroup, pod) for p in f.paths), held.path)
    return Finding(
        says,
        culprit=Ref("Process", name, str(held.pid)) if held.pid else Ref("Cgroup", name, path),
        blocks=(pod,),
        help=(step,),
        do_not=(
            DoNot(
                say("force delete the Pod, or restart the kubelet"),
                say(
                    "the process keeps running and the kubelet retries the same; only the API object that "
                    "shows it would be gone"
                ),
            ),
        ),
        enrich=() if held.pid in names else (Want(PodProcesses, pod),),
    )


CAUSE = Cause(
    id="cgroup.left-behind",
    title=say("a Pod's cgroup cannot be removed"),
    subjects=("Pod",),
    stages=("cgroup-removed",),
    reads=frozenset({PodCgroup, PodMounts, PodProcesses, Failure, Deletion, Placement, Conditions, Lease}),
    rule=_rule,
)
