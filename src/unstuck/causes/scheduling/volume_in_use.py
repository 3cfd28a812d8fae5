"""A ReadWriteOncePod volume is already used by another Pod

## How it happens

A claim of access mode ReadWriteOncePod is used by another Pod already, or a disk named in the Pod itself
(iSCSI, RBD, an old cloud disk) is on the Node by another Pod: the old Pod of a rollout that waits for the new
one, a Pod that does not end, a copy of a workload that shares the claim.

## How to tell

The condition says `node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already
in-use by another pod` (through 1.30: `node has pod using PersistentVolumeClaim with the same name and
ReadWriteOncePod access mode`) or `node(s) had no available disk`. Compared with the objects, this keeps the
Pod from the nearest Nodes; the claim, and the Pods that use it, are named by their owner and Node.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here. A
ReadWriteOnce claim that is attached elsewhere does not keep a Pod from being placed: that is reported once it
waits on its Node (volume.multi-attach).

## References

- Kubernetes pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.34); KEP-2485
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, list_names, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Phase
from unstuck.facts.aspects.protection import Users
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import is_terminal
from unstuck.facts.lookup import Facts

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.claims import InUse

_KIND = "volume-in-use"


def _words(text: str) -> bool:
    return "ReadWriteOncePod access mode" in text or "no available disk" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.make_signs(pod, snap, _KIND, _words, lambda at, _: _make_finding(pod, at, snap))


def _list_users(at: PlacementAnalysis) -> tuple[InUse, ...]:
    from unstuck.scheduling.claims import (
        users_of_claims,
    )  # with the holder of the objects, known only if they were read

    return users_of_claims(at.pod, at.cluster)


def _make_finding(pod: Ref, at: PlacementAnalysis | None, snap: Facts) -> Finding:
    users = _list_users(at) if at else ()
    name = users[0].claim if users else ""
    claim = Ref("PersistentVolumeClaim", pod.within, name) if name else None
    pods = _list_pods(pod, claim, snap) if claim else ()
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
    one = say("claim {name}, which one Pod alone may use (ReadWriteOncePod),", name=name) if name else NO_TEXT
    says = say("{one} is in use by another Pod", one=one)
    if pods:
        says = say("{one} is in use by {pods}", one=one, pods=list_names(map(who, pods[:3])))
    if not name:
        says = say("a volume the Pod needs is in use by another Pod")
    first = pods[0] if pods else None
    find = (
        Step(
            say(
                "see whether {user} is still needed: this Pod is placed once that one is gone",
                user=who(first),
            ),
            command=command(
                "kubectl get {user} {space} -o wide", user=given.of(first), space=given.space(first)
            ),
            verify=_placed.PLACED,
        )
        if first
        else Step(
            say("find the Pod that uses it, and whether it is still needed"),
            command=command(
                "kubectl describe {claim} {space}",
                claim=given.obj("pvc", name or None),
                space=given.space(pod),
            ),
            verify=_placed.PLACED,
        )
    )
    return Finding(
        says,
        culprit=claim or Ref("Volume", pod.within),
        blocks=(pod,),
        notes=notes,
        help=(
            find,
            Step(
                say(
                    "for a Deployment with such a PVC: strategy Recreate, so that the old Pod ends before "
                    "the new one needs the volume"
                ),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("change the access mode so that both can use it"),
                say("two writers destroy the data on a volume meant for one"),
            ),
        ),
        enrich=(Want(Users, claim),) if claim else (),
    )


def _list_pods(pod: Ref, claim: Ref, snap: Facts) -> tuple[Ref, ...]:
    """Return the Pods that are bound to a Node with this claim and have not ended: a finished Pod does not
    hold it.
    """
    users = unique(r for f in snap.of(Users, claim) for r in f.refs)
    return tuple(r for r in users if snap.canon(r) != snap.canon(pod) and not is_terminal(r, snap))


CAUSE = Cause(
    id="scheduling.volume-in-use",
    title=say("a ReadWriteOncePod volume is already used by another Pod"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS | {Phase, Users},
    rule=_rule,
)
