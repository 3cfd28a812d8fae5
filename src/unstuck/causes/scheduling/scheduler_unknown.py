"""The Pod asks for a scheduler that does not run

## How it happens

`spec.schedulerName` names a scheduler that was never installed here or is gone (a batch or GPU scheduler of another cluster), or the
name is misspelled. The default scheduler leaves such Pods alone, and the API server checks nothing: the Pod waits for ever.

## How to tell

The Pod is Pending with no event and no condition at all. No Pod of the cluster with that `schedulerName` was ever bound or refused, and
there is no Lease of that name in `kube-system`.

## Known limits

Anybody who may bind Pods can be a scheduler, and one that has not yet had anything to do leaves no trace: this is never more than
`likely`. A second name that kube-scheduler serves as a profile shows by its Pods being bound; which profiles it has, no object tells.
Schedulers may keep their Lease elsewhere or under another name. That a scheduler is known and down is another cause
(scheduling.scheduler-down).

## References

- Kubernetes documentation: Configure Multiple Schedulers
- pkg/scheduler/eventhandlers.go (`responsibleForPod`)
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from unstuck.causes.scheduling._untried import DEFAULT, READS, asks, named, untried
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.schedulers import SchedulerWork
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(pod: Ref, snap: Facts) -> Signs:
    asked = asks(pod, snap)
    other: Sign[Any] = some(snap, Placement, pod, lambda f: [f] if f.scheduler not in ("", DEFAULT) else []) if asked.value else asked
    name = named(pod, snap)
    unused = some(snap, SchedulerWork, Ref("Scheduler", None, name), lambda f: [f] if f.latest is None and f.whole else [])
    leaderless = some(snap, Presence, Ref("Lease", "kube-system", name), lambda f: [] if f.exists else [f])
    nobody: Sign[Presence] = all_of([Sign(unused.value, (), unused.seen, unused.wants, unused.sure), leaderless])
    return Signs(
        applies=all_of([Sign(other.value, (), other.seen, other.wants), untried(pod, snap)]),
        necessary={"no Pod of that name was ever bound or refused, and no Lease has it": nobody},
        decisive={},
        supporting={"no Pod of that name was ever bound or refused, and no Lease has it": nobody},
        finding=lambda: _finding(pod, snap, name),
    )


def _finding(pod: Ref, snap: Facts, name: str) -> Finding:
    waiting = tuple(r for f in snap.of(SchedulerWork, Ref("Scheduler", None, name)) for r in f.untried)
    near = get_close_matches(name, [DEFAULT], 1, 0.75)
    meant = (Text(f"did you mean {DEFAULT}?", f"是否应为 {DEFAULT}？"),) if near else ()
    return Finding(
        Text(
            f"the Pod asks for scheduler {name}, but there is no sign of it running",
            f"该 Pod 要求由调度器 {name} 调度，而没有迹象表明有人在运行它",
        ),
        culprit=Ref("Scheduler", None, name),
        blocks=(pod, *waiting),
        notes=(*meant, Text(f"{max(1, len(waiting))} Pods wait for it", f"{max(1, len(waiting))} 个 Pod 在等待它")),
        help=(
            Step(
                Text(
                    f"install scheduler {name}, or remove schedulerName from the template so that {DEFAULT} schedules it",
                    f"安装调度器 {name}，或从模板中去掉 schedulerName，由 {DEFAULT} 调度",
                ),
                where="source",
                verify=Text(
                    "a Pod gets a node, or a condition saying why not, within seconds", "Pod 会在数秒内得到节点，或得到说明原因的 condition"
                ),
            ),
        ),
        do_not=(
            DoNot(
                Text("set spec.nodeName by hand", "手动设置 spec.nodeName"),
                Text("that bypasses every check of capacity, taints and volumes", "这会绕过对资源、污点和卷的一切检查"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.scheduler-unknown",
    title=Text("the Pod asks for a scheduler that is not running", "Pod 指定的调度器没有在运行"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=READS | {SchedulerWork, Presence},
    rule=_rule,
)
