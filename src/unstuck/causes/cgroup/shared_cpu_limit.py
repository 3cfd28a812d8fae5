"""A limit of processor time above the Pod's own, which it shares with other Pods, slows it down

## How it happens

Every Pod lies in control groups that it shares with others: kubepods, and below it one of the class of
service (burstable, besteffort). A script, an agent, an administrator or a systemd unit has given one of these
a quota of processor time. All Pods in it share that, and wait for the rest of each period: they start slowly,
and their probes get no answer in time, though the container has no limit, or is far below it.

## How to tell

A probe got no answer in time, or its command was ended at its timeoutSeconds, and on the Pod's node such a
group has a quota (`cpu.max`, in version 1 of the hierarchy `cpu.cfs_quota_us`), and its `cpu.stat` shows that
it was throttled in half of its periods or more.

## Known limits

The counters begin with the quota, or with the node's start: if both are old, earlier waits are no evidence of
the present. A container that waits for its own limit, or its Pod's, is none of this.

## References

- Linux Documentation/scheduler/sched-bwc.rst, Documentation/admin-guide/cgroup-v2.rst (cpu.max, cpu.stat)
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes.cgroup._shared_groups import is_starved_above, name_group, remove_limit
from unstuck.causes.container._ends import STAGES, name_container
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay, some, unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cgroup_limits import CgroupLimit, CgroupLimits
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod, make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_SLOW = ("timeout", "deadline-exceeded")


def _rule(pod: Ref, snap: Facts) -> Signs:
    late = hearsay(
        snap,
        Failure,
        pod,
        lambda f: [f] if f.operation.startswith("probe-") and f.error in _SLOW else [],
    )
    waits: Sign[CgroupLimit] = Sign(None)
    # Ask for it only after a late probe.
    if late.value or snap.of(CgroupLimits, pod):
        waits = some(snap, CgroupLimits, pod, lambda f: [g for g in f.items if is_starved_above(g)])
    return Signs(
        necessary={"a probe got no answer in time": late},
        decisive={"a control group above the Pod waits in half of its periods": waits},
        finding=lambda: _make_finding(pod, late.hits[-1], waits.hits[0], snap),
    )


def _make_finding(pod: Ref, late: Failure, group: CgroupLimit, snap: Facts) -> Finding:
    node = find_node_of_pod(pod, snap) or Ref("Node")
    quota, period = group.quota or 0, group.period or 0
    path = name_group(group.path)
    kind = late.operation.partition("-")[2]
    return Finding(
        say(
            "control group {path} on Node {node}, which many Pods share, may use {quota} of {period} "
            "microseconds of processor time, and waits in {throttled} of {periods} periods: so the {kind} "
            "probe of {who} gets no answer in time",
            path=path,
            node=node.name or "NODE",
            quota=quota,
            period=period,
            throttled=group.throttled or 0,
            periods=group.periods or 0,
            kind=kind,
            who=name_container(late.container),
        ),
        culprit=Ref("Cgroup", node.name, path),
        blocks=unique(
            (
                Ref("Probe", f"{pod.within}/{pod.name}", f"{late.container} {kind}"),
                make_container_ref(pod, late.container),
                pod,
            )
        ),
        help=(
            Step(
                say("see the quota of this group"),
                where=place_on_node(node.name),
                command=command("grep -rs . --include=cpu.* -d skip {path}", path=given.path(group.path)),
            ),
            remove_limit(node, say("nr_throttled in cpu.stat of this group no longer grows")),
        ),
        do_not=(
            DoNot(
                say("raise the Pod's own limit of processor time, or the probe's timeoutSeconds"),
                say("the group above would hold it back all the same"),
            ),
        ),
    )


CAUSE = Cause(
    id="cgroup.shared-cpu-limit",
    title=say("a limit of processor time that many Pods share slows the Pod down"),
    subjects=("Pod",),
    stages=STAGES,
    reads=frozenset({CgroupLimits, Failure, Placement}),
    rule=_rule,
)
