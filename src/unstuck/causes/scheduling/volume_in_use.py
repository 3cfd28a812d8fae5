"""A volume that one Pod alone may use is in use by another Pod

## How it happens

A claim of access mode ReadWriteOncePod is used by another Pod already, or a disk named in the Pod itself (iSCSI, RBD, an old cloud disk)
is on the Node by another Pod: the old Pod of a rollout that waits for the new one, a Pod that does not end, a copy of a workload
that shares the claim.

## How to tell

The condition says `node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod` or
`node(s) had no available disk`. Held against the objects, that is what keeps the Pod from the Nodes that come nearest; the claim, and the
Pods that use it, are named by their owner and Node.

## Known limits

The objects are read now, the scheduler's message is of its last attempt: where they give different reasons, nothing is proven. Filters of a
scheduler that is configured differently, or extended, are not known here. A ReadWriteOnce claim that is attached elsewhere does not keep a
Pod from being placed: that is told once it waits on its Node (volume.multi-attach).

## References

- Kubernetes pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.34); KEP-2485
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.claims import InUse

_KIND = "volume-in-use"


def _words(text: str) -> bool:
    return "in-use by another pod" in text or "no available disk" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.signs(pod, snap, _KIND, _words, lambda at, _: _finding(pod, at))


def _users(at: PlacementAnalysis) -> tuple[InUse, ...]:
    from unstuck.scheduling.claims import users_of_claims  # with what holds the objects, which is there only where they were read

    return users_of_claims(at.pod, at.cluster)


def _finding(pod: Ref, at: PlacementAnalysis | None) -> Finding:
    users = _users(at) if at else ()
    name = users[0].claim if users else ""
    notes = tuple(
        say(
            "{claim} is in use on {node} by {pods} of {owner}",
            claim=u.claim,
            node=u.node,
            pods=u.pods,
            owner=u.owner or say("no controller"),
        )
        for u in users[:3]
    )
    one = say("claim {name}, which one Pod alone may use,", name=name) if name else NO_TEXT
    says = say("{one} is in use by another Pod", one=one)
    if not name:
        says = say("a volume the Pod needs is in use by another Pod")
    return Finding(
        says,
        culprit=Ref("PersistentVolumeClaim", pod.within, name) if name else Ref("Volume", pod.within),
        blocks=(pod,),
        notes=notes,
        help=(
            Step(
                say("find the Pod that uses it, and whether it is still needed"),
                command=command("kubectl describe {claim} {space}", claim=given.obj("pvc", name or None), space=given.space(pod)),
                verify=_placed.PLACED,
            ),
            Step(
                say("for a Deployment with such a PVC: strategy Recreate, so that the old Pod ends before the new one needs the volume"),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("change the access mode to let both in"),
                say("two writers destroy the data on a volume meant for one"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.volume-in-use",
    title=say("a ReadWriteOncePod volume is already used by another Pod"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
