"""A memory limit above the Pod's own, which it shares with other Pods, was reached

## How it happens

Every Pod lies in control groups that it shares with others: kubepods, and below it one of the class of
service (burstable, besteffort). The kubelet limits kubepods to the Node's allocatable memory; a script, an
agent or an administrator may have limited one of them by hand. When all in such a group together reach its
limit, the kernel kills one of them, which may be far below its own limit and have none.

## How to tell

The container ended with 137, and the kernel's log reports a kill in it with `constraint=CONSTRAINT_MEMCG`,
and with an `oom_memcg` that is no group of a Pod: `/kubepods/burstable`, for example. The Node itself may
have plenty of memory. The limit is `memory.max` of that group, in version 1 of the hierarchy
`memory.limit_in_bytes`.

## Known limits

Kernels before 4.19 name the group in a line of its own, which a paste may lack. Other groups than kubepods
and the classes of service belong to a container or a Pod: container.out-of-memory.

## References

- Linux mm/oom_kill.c (dump_oom_summary), Documentation/admin-guide/cgroup-v2.rst; Kubernetes
  pkg/kubelet/cm/node_container_manager_linux.go, pkg/kubelet/cm/qos_container_manager_linux.go
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node, show_usage_on
from unstuck.causes.cgroup._shared_groups import TOP, name_group, remove_limit
from unstuck.causes.container._ends import STAGES, Run, find_last_runs, join_runs, name_container
from unstuck.causes.container._last_words import describe_restarts
from unstuck.causes.container._shared_memory import find_shared_kills
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cgroup_limits import CgroupLimit, CgroupLimits
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.aspects.oom import OomKills
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Life, Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod, make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_KILLED = 137
_MIB = 1 << 20
_NO_MORE = say("the container's status shows no new kill")


def _rule(pod: Ref, snap: Facts) -> Signs:
    runs = find_last_runs(pod, snap)
    killed = [r for r in runs.hits if r.end.code == _KILLED]
    kills = [(r, find_shared_kills(pod, snap, r)) for r in killed]
    shared = join_runs(kills, runs.seen) if kills or runs.value is not None else runs
    if shared.value is None and not any(s.hits for _, s in kills):
        # An end with 137 alone is no evidence of a shared limit.
        shared = Sign(None, wants=shared.wants)

    def finding() -> Finding:
        run, kill = next((r, s.hits[0]) for r, s in kills if s.value and s.hits)
        return _make_finding(pod, run, kill.bound, snap)

    return Signs(
        decisive={
            "it ended with 137, and the kernel killed in it for the limit of a cgroup of many Pods": shared
        },
        finding=finding,
    )


def _make_finding(pod: Ref, run: Run, bound: str, snap: Facts) -> Finding:
    node = find_node_of_pod(pod, snap) or Ref("Node")
    group = name_group(bound)
    limit = _find_limit(pod, group, snap)
    own = next((v for k, v in run.spec.limits if k == "memory"), "") if run.spec else ""
    says = say(
        "{who} was killed because control group {group} on Node {node}, which many Pods share, reached its "
        "own limit{of}",
        who=name_container(run.name or None),
        group=group,
        node=node.name or "NODE",
        of=_describe_limit(limit),
    )
    says += say("; the container's limit of {own} was not reached", own=own) if own else NO_TEXT
    container = make_container_ref(pod, run.name)
    wants = () if snap.of(CgroupLimits, pod) else (Want(CgroupLimits, pod),)
    return Finding(
        says,
        culprit=Ref("Cgroup", node.name, group),
        blocks=unique((container, pod)),
        notes=describe_restarts(run),
        help=_help(node, group, limit),
        do_not=(
            DoNot(
                say("raise the limit of the killed container"),
                say("that limit was not reached, and the next run would be killed as well"),
            ),
        ),
        enrich=wants,
        seen=tuple(snap.of(CgroupLimits, pod)) if limit else (),
    )


def _find_limit(pod: Ref, group: str, snap: Facts) -> CgroupLimit | None:
    return next(
        (i for f in snap.of(CgroupLimits, pod) for i in f.items if i.memory_max and i.path.endswith(group)),
        None,
    )


def _describe_limit(limit: CgroupLimit | None) -> Text:
    if limit is None or not limit.memory_max:
        return NO_TEXT
    return say(" of {mib} MiB ({bytes} bytes)", mib=limit.memory_max // _MIB, bytes=limit.memory_max)


def _help(node: Ref, group: str, limit: CgroupLimit | None) -> tuple[Step, ...]:
    name = node.name or "NODE"
    path = limit.path if limit else f"/sys/fs/cgroup/memory{group}"
    see = Step(
        say("see the limit of this group, and how much of it is used"),
        where=place_on_node(node.name),
        command=command("grep -rs . --include=memory.* -d skip {path}", path=given.path(path)),
    )
    if group.removesuffix(".slice") == TOP:
        usage = Step(
            say("see which Pods on the node use more than they request"), command=show_usage_on(name)
        )
        fewer = Step(
            say(
                "give every Pod a memory request close to its usage: the kubelet limits all Pods together to "
                "the Node's allocatable memory"
            ),
            where="source",
            verify=_NO_MORE,
        )
        return (see, usage, fewer)
    return (see, remove_limit(node, _NO_MORE))


CAUSE = Cause(
    id="cgroup.shared-limit",
    title=say("a memory limit that many Pods share was reached"),
    subjects=("Pod",),
    stages=STAGES,
    reads=frozenset(
        {CgroupLimits, Containers, ContainerStatuses, Events, Failure, Life, OomKills, Placement}
    ),
    rule=_rule,
)
