"""The program ends because it cannot start more processes or threads

## How it happens

The kernel refuses a new process or thread: the Pod has used up its `podPidsLimit`, the user their process
limit (`ulimit -u`), the Node its pids, or there is no memory for a stack.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `can't fork`, `unable
to create native thread` or `pthread_create failed`. A look at the Pod's node shows the limit: for a cgroup of
the Pod or one above it, the processes (`pids.current`, the peak in `pids.peak`) and their maximum
(`pids.max`), with the forks that the kernel has refused there (`pids.events`, its log); of the whole Node, as
many tasks as there may be. Either proves it.

## Known limits

A user's own limit (`ulimit -u`) and memory for a stack are not looked up: then it stays likely. A container's
cgroup disappears with it; before kernel 6.0 the Pod's highest number of processes is not recorded, and its
cgroup's limit is then only reported.

## References

- fork(2), clone(2), EAGAIN; documentation "Process ID Limits And Reservations"
- kernel/cgroup/pids.c; Documentation/admin-guide/cgroup-v2.rst
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.causes._commands import place_on_node
from unstuck.causes._node_config import add_node_words, tell_config
from unstuck.causes.node._limits import is_used_up
from unstuck.causes.program._plain import NEXT_RUN, make_plain_signs, mend
from unstuck.causes.program._told import (
    READS,
    STAGES,
    ProgramMessage,
    find_last_words,
    find_program_messages,
    make_finding,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import NO_COMMAND, command
from unstuck.diagnosis.sign import Sign, all_of, any_of, some
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cgroup_limits import CgroupLimit, CgroupLimits
from unstuck.facts.aspects.host import DaemonState
from unstuck.facts.aspects.kernel import KernelEvents
from unstuck.facts.aspects.node_limits import HostLimit, HostLimits
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_container_spec, find_node, find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

_ERRORS: tuple[ProgramError, ...] = ("thread-refused",)
# A user's process limit above this is seldom the cause.
_LOW = 1024


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = find_program_messages(pod, snap, *_ERRORS)
    if pod.kind != "Pod" or not said.value:
        return make_plain_signs(pod, snap, _ERRORS, lambda one: _make_finding(pod, one, snap))
    ran_out: list[Sign[object]] = [_find_full_group(pod, snap), _find_full_node(pod, snap)]
    return make_plain_signs(
        pod,
        snap,
        _ERRORS,
        lambda one: _make_finding(pod, one, snap),
        {"as many processes as its cgroups or its Node may have": all_of((any_of(ran_out), said))},
    )


def _find_full_group(pod: Ref, snap: Facts) -> Sign[CgroupLimit]:
    """Tell which cgroup has, or had, as many processes as it may; also where the kernel counted or logged
    that it refused a fork.
    """
    logged = some(snap, KernelEvents, pod, lambda f: [e for e in f.items if e.kind == "fork-rejected"])
    full = some(snap, CgroupLimits, pod, lambda f: _find_full(f.items, refused=bool(logged.value)))
    return full if full.value else Sign(None, seen=full.seen, wants=(*full.wants, *logged.wants))


def _find_full(groups: tuple[CgroupLimit, ...], *, refused: bool) -> list[CgroupLimit]:
    """Return the full cgroups, the narrowest first; if a fork was refused and none is full by now, the Pod's
    narrowest, else the ancestor nearest to its limit.
    """
    limited = sorted((g for g in groups if g.pids_max), key=lambda g: (g.pids_max or 0, -len(g.path)))
    # The peak of an ancestor may be older than this Pod: count only the peaks of its own cgroups.
    full = [g for g in limited if max(g.pids or 0, (g.pids_peak or 0) if g.pod else 0) >= (g.pids_max or 0)]
    refused = refused or any(g.pids_refused for g in groups if g.pod)
    if full or not refused:
        return full
    # A fork in the Pod is refused by its own limit, or, without one, by an ancestor's.
    own = [g for g in limited if g.pod][:1]
    return own or sorted(limited, key=lambda g: (g.pids or 0) / (g.pids_max or 1), reverse=True)[:1]


def _find_full_node(pod: Ref, snap: Facts) -> Sign[HostLimit]:
    node = find_node(pod, snap)
    return is_used_up(node, snap, "threads") if node else Sign(None, wants=(Want(Placement, pod),))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    means = say("it can start no further process or thread")
    fewer = mend(say("start fewer of them, or raise the limit of its user (ulimit -u) if that is used up"))
    node = find_node_of_pod(pod, snap)
    if node is None or not node.name:
        return make_finding(
            pod,
            one,
            means,
            (fewer, Step(say("raise podPidsLimit in the kubelet's configuration if that is used up"))),
        )
    if groups := _find_full_group(pod, snap).hits:
        return _make_group_finding(pod, one, means, groups[0], node.name, snap)
    if limits := _find_full_node(pod, snap).hits:
        return _make_node_finding(pod, one, means, limits[0], node.name)
    if runtime := _find_low_runtime(pod, one, node, snap):
        return _make_runtime_finding(pod, one, means, runtime, node.name)
    # The kubelet sets it, and no manifest of the Pod can raise it.
    limit = Step(
        say(
            "where pids.current of the Pod's cgroup is as large as its pids.max: raise podPidsLimit in the "
            "configuration of the kubelet of Node {node}",
            node=node.name,
        ),
        where=place_on_node(node.name),
    )
    enrich = (Want(CgroupLimits, pod), Want(DaemonState, node))
    return make_finding(pod, one, means, (fewer, limit), enrich=enrich)


def _find_low_runtime(pod: Ref, one: ProgramMessage, node: Ref, snap: Facts) -> DaemonState | None:
    """Return the runtime whose own limit of processes is low: its containers have it, for each user but
    root.
    """
    spec = find_container_spec(pod, one.run.name or None, snap)
    if spec is not None and spec.user == 0:
        return None
    low = [
        f for f in snap.of(DaemonState, node) if f.daemon != "kubelet" and 0 < (f.processes_max or 0) <= _LOW
    ]
    return low[0] if low else None


def _make_runtime_finding(
    pod: Ref, one: ProgramMessage, means: Text, runtime: DaemonState, node: str
) -> Finding:
    means += say(
        "; {runtime} of Node {node} may have {limit} processes for a user (Max processes, RLIMIT_NPROC), "
        "and its containers have the same limit",
        runtime=runtime.daemon,
        node=node,
        limit=runtime.processes_max or 0,
    )
    see = Step(
        say("see the limits that it runs with, and where they are set (LimitNPROC of its unit)"),
        where=place_on_node(node),
        command=command("grep -H processes /proc/{pid}/limits", pid=given.number(runtime.proc.pid))
        if runtime.proc
        else NO_COMMAND,
    )
    raised = Step(
        say(
            "raise that limit in the unit, restart {runtime}, and start the Pod again", runtime=runtime.daemon
        ),
        where=place_on_node(node),
        verify=NEXT_RUN,
    )
    return replace(make_finding(pod, one, means, (see, raised)), seen=(runtime,))


def _make_group_finding(
    pod: Ref, one: ProgramMessage, means: Text, group: CgroupLimit, node: str, snap: Facts
) -> Finding:
    """Return the finding for a cgroup's limit, by its setter: the kubelet for a Pod's, the runtime for a
    container's.
    """
    limit = group.pids_max or 0
    see = Step(
        say("see which processes it has"),
        where=place_on_node(node),
        command=command("grep -r . --include=cgroup.procs {path}", path=given.path(group.path)),
    )
    if group.container:
        means += say(
            "; its container may have {limit} (pids.max of {path}), which the runtime sets",
            limit=limit,
            path=group.path,
        )
        raised = say(
            (
                "start fewer of them, or raise the limit of processes in the "
                "configuration of Node {node}'s runtime"
            ),
            node=node,
        )
        return make_finding(pod, one, means, (mend(raised), see))
    if group.pod:
        means += say(
            (
                "; the Pod may have {limit} (pids.max of {path}), which is podPidsLimit of the kubelet of "
                "Node {node}"
            ),
            limit=limit,
            path=group.path,
            node=node,
        )
        raised = say(
            "start fewer of them, or raise podPidsLimit in the configuration of the kubelet of Node {node}",
            node=node,
        )
        found = make_finding(pod, one, means, (mend(raised), see))
        return add_node_words(found, tell_config(Ref("Node", None, node), ("podPidsLimit",), snap))
    means += say(
        "; all Pods of Node {node} together have {used} of {limit} (pids.max of {path})",
        node=node,
        used=group.pids or 0,
        limit=limit,
        path=group.path,
    )
    # This program does not hold them all.
    more = Step(
        say(
            "if Node {node} is to have more: raise that limit where it is set (TasksMax of a slice in "
            "systemd; what the kubelet reserves of pids for kubepods itself)",
            node=node,
        ),
        where=place_on_node(node),
        command=command("cat {path}/pids.max", path=given.path(group.path)),
    )
    return make_finding(pod, one, means, (_find_most(node), more), culprit=Ref("Cgroup", node, group.path))


def _make_node_finding(pod: Ref, one: ProgramMessage, means: Text, item: HostLimit, node: str) -> Finding:
    means += say(
        "; Node {node} has {used} of {limit} tasks ({setting})",
        node=node,
        used=item.used,
        limit=item.limit,
        setting=item.setting,
    )
    return make_finding(pod, one, means, (_find_most(node),), culprit=Ref("Sysctl", node, item.setting))


def _find_most(node: str) -> Step:
    return Step(
        say("find out what has so many, and end it or limit its Pod (podPidsLimit)"),
        where=place_on_node(node),
        command=command("ps -eLo pid,comm --no-headers | sort | uniq -c | sort -n | tail"),
    )


CAUSE = Cause(
    id="program.cannot-start-thread",
    title=say("the program ends because it cannot start more processes or threads"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | {CgroupLimits, DaemonState, HostLimits, KernelEvents, Placement},
    rule=_rule,
)
