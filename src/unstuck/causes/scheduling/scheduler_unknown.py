"""The Pod asks for a scheduler that is not running

## How it happens

`spec.schedulerName` names a scheduler that was never installed here or is gone (a batch or GPU scheduler of
another cluster), or the name is misspelled. The default scheduler leaves such Pods alone, and the API server
does not check the name: the Pod waits forever.

## How to tell

The Pod is Pending with no event and no condition at all. No Pod of the cluster with that `schedulerName` was
ever bound or refused, and there is no Lease of that name in `kube-system`.

## Known limits

Anybody who may bind Pods can be a scheduler, and one without work so far leaves no trace: this is never more
than `likely`. A second name that kube-scheduler serves as a profile shows by its Pods being bound; no object
lists its profiles. Schedulers may keep their Lease elsewhere or under another name. A known scheduler that is
down is another cause (scheduling.scheduler-down).

## References

- Kubernetes documentation: Configure Multiple Schedulers
- pkg/scheduler/eventhandlers.go (`responsibleForPod`)
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from unstuck.causes.scheduling._untried import DEFAULT, READS, asks, is_untried, name_scheduler
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.schedulers import SchedulerWork
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    asked = asks(pod, snap)
    other: Sign[Any] = (
        some(snap, Placement, pod, lambda f: [f] if f.scheduler not in ("", DEFAULT) else [])
        if asked.value
        else asked
    )
    name = name_scheduler(pod, snap)
    unused = some(
        snap,
        SchedulerWork,
        Ref("Scheduler", None, name),
        lambda f: [f] if f.latest is None and f.whole else [],
    )
    leaderless = some(snap, Presence, Ref("Lease", "kube-system", name), lambda f: [] if f.exists else [f])
    nobody: Sign[Presence] = all_of(
        [Sign(unused.value, (), unused.seen, unused.wants, unused.sure), leaderless]
    )
    return Signs(
        applies=all_of([Sign(other.value, (), other.seen, other.wants), is_untried(pod, snap)]),
        necessary={"no Pod of that name was ever bound or refused, and no Lease has it": nobody},
        decisive={},
        supporting={"no Pod of that name was ever bound or refused, and no Lease has it": nobody},
        finding=lambda: _make_finding(pod, snap, name),
    )


def _make_finding(pod: Ref, snap: Facts, name: str) -> Finding:
    waiting = tuple(r for f in snap.of(SchedulerWork, Ref("Scheduler", None, name)) for r in f.untried)
    near = get_close_matches(name, [DEFAULT], 1, 0.75)
    meant = (say("did you mean {default}?", default=DEFAULT),) if near else ()
    return Finding(
        say("the Pod asks for scheduler {name}, but there is no sign of it running", name=name),
        culprit=Ref("Scheduler", None, name),
        blocks=(pod, *waiting),
        notes=(*meant, say("{count} Pods wait for it", count=max(1, len(waiting)))),
        help=(
            Step(
                say(
                    (
                        "install scheduler {name}, or remove schedulerName from the template so that "
                        "{default} schedules it"
                    ),
                    name=name,
                    default=DEFAULT,
                ),
                where="source",
                verify=say("a Pod gets a node, or a condition saying why not, within seconds"),
            ),
        ),
        do_not=(
            DoNot(
                say("set spec.nodeName by hand"),
                say("that bypasses every check of capacity, taints and volumes"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.scheduler-unknown",
    title=say("the Pod asks for a scheduler that is not running"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=READS | {SchedulerWork, Presence},
    rule=_rule,
)
