"""The scheduler is not running, and no Pod gets a Node

## How it happens

kube-scheduler has ended or hangs: its manifest was moved or is wrong, its certificate ran out, it cannot
reach the API server, or its process was stopped. The API server keeps accepting Pods, and they are not
assigned a Node. Running Pods keep running.

## How to tell

The Pod is Pending with no event and no condition at all: a working scheduler at least reports why it finds no
Node. Its Lease `kube-system/kube-scheduler`, which its leader renews every few seconds, has not been renewed
for more than a minute while others are. A Pod that names another scheduler waits for that one: with leader
election its Lease has that scheduler's name.

## Known limits

A managed cluster may hide its control plane, and a scheduler that elects no leader has no Lease: a missing
Lease is no proof, and the answer stays open. An idle scheduler that renews its Lease is reported as `likely`
if several Pods wait and it has been silent since the first of them. A Pod whose ResourceClaim is missing is
not tried either (scheduling.claim-missing); Pods with claims are left out here.

## References

- Kubernetes documentation: kube-scheduler, Leases
- pkg/scheduler/schedule_one.go; staging/src/k8s.io/client-go/tools/leaderelection
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.causes.scheduling._untried import DEFAULT, READS, is_untried, name_scheduler
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages, Text, format_duration
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.pod import Life
from unstuck.facts.aspects.schedulers import SchedulerWork
from unstuck.facts.aspects.stored import LastWrite
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.leader import EndedLease, find_ended_lease, require_other_writes

say = Messages(__name__)

_SEVERAL = 2
_IDLE = timedelta(minutes=2)


def _rule(pod: Ref, snap: Facts) -> Signs:
    name = name_scheduler(pod, snap)
    lease = Ref("Lease", "kube-system", "kube-scheduler" if name == DEFAULT else name)
    ended = require_other_writes(find_ended_lease(lease, snap), snap)
    idle = _find_idle(pod, name, snap)
    # A live leader is no proof that it works.
    ended = (
        ended._replace(value=None, wants=idle.wants)
        if ended.value is False and idle.value is not False
        else ended
    )
    return Signs(
        applies=is_untried(pod, snap),
        decisive={"its Lease has not been renewed for a minute, while others are renewed": ended},
        supporting={"several Pods wait, and it has said nothing since the first of them": idle},
        finding=lambda: _make_finding(pod, snap, name, lease, ended, idle),
    )


def _find_idle(pod: Ref, name: str, snap: Facts) -> Sign[SchedulerWork]:
    """Tell whether it has left several Pods untried for minutes, and bound or refused none since this one
    was made.
    """
    since = next((f.created for f in snap.of(Life, pod) if f.created), None)
    if since is None or snap.now - since < _IDLE:
        return Sign(False, seen=snap.of(Life, pod)) if since else Sign(None)
    return some(
        snap,
        SchedulerWork,
        Ref("Scheduler", None, name),
        lambda f: [f] if len(f.untried) >= _SEVERAL and f.latest is not None and f.latest < since else [],
    )


def _make_finding(
    pod: Ref, snap: Facts, name: str, lease: Ref, ended: Sign[EndedLease], idle: Sign[SchedulerWork]
) -> Finding:
    who = lease.name if name == DEFAULT else name
    notes: list[Text] = []
    waiting: tuple[Ref, ...] = tuple(r for f in idle.hits for r in f.untried)
    if ended.value and ended.hits:
        span = format_duration(snap.now - ended.hits[0].since)
        says = say("{who} has not renewed its Lease for {span}: no Pods are scheduled", who=who, span=span)
        if holder := ended.hits[0].lease.holder:
            notes.append(say("its Lease was last held by {holder}", holder=holder))
    else:
        says = say(
            "{who} renews its Lease but has handled none of {count} waiting Pods", who=who, count=len(waiting)
        )
    return Finding(
        says,
        culprit=lease,
        blocks=(pod, *waiting),
        notes=tuple(notes),
        help=(
            Step(
                say(
                    "start it again on the control plane nodes; its log, or its manifest there, shows why "
                    "it stopped"
                ),
                command=command("kubectl get pods -n kube-system -l component=kube-scheduler -o wide"),
                verify=say("its Lease is renewed every few seconds, and the Pods are scheduled"),
            ),
        ),
        do_not=(
            DoNot(
                say("set spec.nodeName by hand meanwhile, or delete running Pods"),
                say(
                    "the first bypasses every check of capacity, taints and volumes; Pods deleted now do "
                    "not come back"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.scheduler-down",
    title=say("the scheduler is not running"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=READS | {Lease, LastWrite, SchedulerWork},
    rule=_rule,
)
