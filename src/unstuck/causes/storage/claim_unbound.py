"""No volume is available for a claim that the Pod uses

## How it happens

The claim has no PersistentVolume and none can be bound or made for it: no existing one is large enough or has
the requested mode and class, the provisioner does not make one, a volume made by hand is held by an older
claim, or the driver has no room left there. A Pod that names its Node itself (`spec.nodeName`) bypasses the
scheduler, and a claim that waits for its first consumer then waits forever.

## How to tell

The condition says `pod has unbound immediate PersistentVolumeClaims`, `node(s) didn't find available
persistent volumes to bind` or `node(s) did not have enough free storage`. Compared with the claims, volumes
and classes, that is the reason the Nodes exclude the Pod. For a Pod that has its Node the kubelet reports
`error processing PVC …: PVC is not bound`.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go (1.34)
- Kubernetes documentation: Storage Classes, Volume binding mode (nodeName);
  pkg/kubelet/volumemanager/populator
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from unstuck.causes import _starting
from unstuck.causes.scheduling import _placed
from unstuck.causes.scheduling._said import find_statement_reasons
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Claim, StorageClass
from unstuck.facts.aspects.objects import Deletion, Events, Failure, Presence
from unstuck.facts.aspects.placing import ClaimInput
from unstuck.facts.aspects.pod import Life, Needs
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import format_amount
from unstuck.facts.regex import regex
from unstuck.stages.lines import is_being_deleted

say = Messages(__name__)

if TYPE_CHECKING:
    from datetime import datetime

    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.claims import ClaimsApart

_NODES = 3
_KIND = "storage.claim-unbound"
# `immediate` since 1.12; until 1.8 each claim by its name (pkg/scheduler/algorithm/predicates/predicates.go).
_UNBOUND = regex(r"unbound (?:immediate )?PersistentVolumeClaims|PersistentVolumeClaim is not bound")
# pkg/scheduler/framework/plugins/volumebinding/binder.go (hasEnoughCapacity): without such an object for
# class and Node there is no room.
_ROOM = Step(
    say(
        "see the capacity the driver published for the class: if no object mentions the class, the driver "
        "publishes none, and no node counts as having capacity"
    ),
    command=command("kubectl get csistoragecapacities -A"),
)


_REUSE = DoNot(
    say("remove the claimRef of a Released PV to reuse it"),
    say("the former PVC's data is still on it, and the new owner may overwrite it"),
)

# A kubelet reports its errors while it waits for a Pod's volumes only when the wait ends:
# podAttachAndMountTimeout, pkg/kubelet/volumemanager/volume_manager.go.
_REPORTED_AFTER = timedelta(minutes=2, seconds=3)
# An attach that failed is tried again after that at the latest: maxDurationBeforeRetry,
# pkg/util/goroutinemap/exponentialbackoff/exponential_backoff.go. Until then no Event shows the volume.
_TRIED_AGAIN = timedelta(minutes=2, seconds=2)


def _words(text: str) -> bool:
    return (
        _UNBOUND.search(text) is not None
        or "persistent volumes to bind" in text
        or "enough free storage" in text
    )


def _full(text: str) -> bool:
    return "enough free storage" in text


def _plain(text: str) -> bool:
    """Tell whether only a lack of volumes explains it: an immediate claim may also lack its class, its
    default or its provisioner.
    """
    return _words(text) and not _UNBOUND.search(text)


def _rule(pod: Ref, snap: Facts) -> Signs:
    if not is_being_deleted(pod, snap) and (waits := _find_waiting(pod, snap)):
        return _starting.make_signs(
            pod, snap, waits.__contains__, lambda f: _make_bound_finding(pod, f, snap)
        )
    return _placed.make_signs(
        pod, snap, _KIND, _words, lambda at, _: _make_finding(pod, at, _list_claims(pod, snap), snap), _plain
    )


def _find_waiting(pod: Ref, snap: Facts) -> list[Failure]:
    """Return the failures with which the kubelet of the Pod's Node waits for the claim, unless a volume was
    attached since.
    """
    waits = [
        f for f in snap.of(Failure, pod) if f.operation == "volume-set-up" and f.error == "claim-unbound"
    ]
    # A volume is attached after its claim is bound. With several claims the message does not name the claim.
    attaching = _find_attach_time(pod, snap) if len(set(_list_claims(pod, snap))) <= 1 else None
    return [f for f in waits if not (f.src.at and attaching and attaching >= f.src.at - _REPORTED_AFTER)]


def _find_attach_time(pod: Ref, snap: Facts) -> datetime | None:
    """Return the latest time at which a volume of the Pod was attached or was to be retried; None if
    unknown.
    """
    tried = [
        f.src.at + _TRIED_AGAIN for f in snap.of(Failure, pod) if f.operation == "volume-attach" and f.src.at
    ]
    done = [e.last for f in snap.of(Events, pod) for e in f.items if e.reason == "SuccessfulAttachVolume"]
    return max((at for at in (*tried, *done) if at), default=None)


def _make_bound_finding(pod: Ref, f: Failure, snap: Facts) -> Finding:
    """Return the finding for a Pod that has its Node before its claim has a volume: the scheduler, which
    waits for the claim, did not place it.
    """
    claim = f.object or Ref("PersistentVolumeClaim", pod.within)
    name = claim.name or "NAME"
    says = say("PVC {name} of the Pod is not bound to a volume", name=name)
    notes = [
        say(
            "the scheduler does not schedule a Pod with an unbound PVC: this Pod sets spec.nodeName itself, "
            "or the PVC was recreated since"
        )
    ]
    class_ = _find_class(claim, snap)
    if class_ and any(c.waits for c in snap.of(StorageClass, class_)) and _older(claim, pod, snap):
        says += say(
            "; its class {class_} waits for the scheduler to place the first consumer, and the Pod has its "
            "node by spec.nodeName, past the scheduler",
            class_=class_.name,
        )
        notes = []
    return Finding(
        says,
        culprit=claim,
        blocks=(pod,),
        notes=tuple(notes),
        help=(
            Step(
                say("see what the PVC is waiting for"),
                command=command(
                    "kubectl describe {claim} {space}",
                    claim=given.obj("pvc", claim.name),
                    space=given.space(claim),
                ),
            ),
            Step(
                say(
                    "if it waits for its first consumer, use a nodeSelector (kubernetes.io/hostname) in the "
                    "Pod's template instead of spec.nodeName; the Pod is recreated, and the scheduler gets "
                    "the volume provisioned for that node"
                ),
                where="source",
                risk="disrupts",
                verify=say("the PVC is Bound, and the Pod starts"),
            ),
        ),
        do_not=(_REUSE,),
        enrich=()
        if not claim.name
        else (Want(Claim, claim), *((Want(StorageClass, class_),) if class_ else ())),
    )


def _find_class(claim: Ref, snap: Facts) -> Ref | None:
    return next(
        (
            Ref("StorageClass", None, f.storage_class)
            for f in snap.of(Claim, claim)
            if f.storage_class and not f.volume
        ),
        None,
    )


def _older(claim: Ref, pod: Ref, snap: Facts) -> bool:
    """Tell whether the claim is older than the Pod, so it was not recreated after the Pod got its node."""
    made = [f.created for f in snap.of(Presence, claim) if f.created]
    return bool(made) and any(f.created and f.created >= min(made) for f in snap.of(Life, pod))


def _list_claims(pod: Ref, snap: Facts) -> tuple[Ref, ...]:
    """Return the claims that the Pod names."""
    return tuple(n.object for f in snap.of(Needs, pod) for n in f.items if n.by == "claim")


def _make_finding(pod: Ref, at: PlacementAnalysis | None, used: tuple[Ref, ...], snap: Facts) -> Finding:
    unbound = _list_unbound(pod, at) if at else ()
    # The objects identify the claim; without them it is known only if the Pod has a single one.
    alone = used[0] if len(used) == 1 else Ref("PersistentVolumeClaim", pod.within)
    claim = (
        Ref("PersistentVolumeClaim", pod.within, unbound[0].name, unbound[0].uid or None)
        if unbound
        else alone
    )
    notes = tuple(_asks(c) for c in unbound[:3])
    full = find_statement_reasons(pod, snap, _full).hits
    apart = _find_apart(at) if at else None
    says = (
        say("PVC {claim} of the Pod is not bound to a volume", claim=claim.name)
        if claim.name
        else say("a PVC of the Pod is not bound to a volume")
    )
    return Finding(
        says + (_describe(apart) if apart else NO_TEXT),
        culprit=claim,
        blocks=(pod,),
        notes=notes,
        help=(
            *([_ROOM] if full else []),
            *([_make_joint_step(apart)] if apart else []),
            Step(
                say("read the PVC's Events"),
                command=command(
                    "kubectl describe {claim} {space}",
                    claim=given.obj("pvc", claim.name),
                    space=given.space(pod),
                ),
                verify=_placed.PLACED,
            ),
        ),
        do_not=(_REUSE,),
    )


def _find_apart(at: PlacementAnalysis) -> ClaimsApart | None:
    from unstuck.scheduling.claims import (
        find_claims_apart,
    )  # with the holder of the objects, known only if they were read

    return find_claims_apart(at.pod, at.cluster)


def _describe(apart: ClaimsApart) -> Text:
    return say(
        (
            "; no Node reaches both: {volume} of PVC {bound} is on {nodes}, and the free {n:volume|volumes} "
            "for {unbound}, {free}, on {places}"
        ),
        volume=apart.volume,
        bound=apart.bound,
        nodes=list_names(apart.nodes[:_NODES]),
        n=len(apart.free),
        unbound=apart.unbound,
        free=list_names(apart.free[:_NODES]),
        places=list_names(apart.places[:_NODES]) if apart.places else say("no Node"),
    )


def _make_joint_step(apart: ClaimsApart) -> Step:
    return Step(
        say(
            (
                "provide a volume for PVC {unbound} on {nodes}, or restore the data of PVC {bound} where "
                "the free one is"
            ),
            unbound=apart.unbound,
            nodes=list_names(apart.nodes[:_NODES]),
            bound=apart.bound,
        ),
        where="source",
        verify=_placed.PLACED,
    )


def _list_unbound(pod: Ref, at: PlacementAnalysis) -> tuple[ClaimInput, ...]:
    names = [v.claim for v in at.pod.shape.spec.volumes if v.claim]
    return tuple(c for n in names if (c := at.cluster.claims.get((pod.within or "", n))) and not c.volume)


def _asks(claim: ClaimInput) -> Text:
    class_ = claim.storage_class or "-"
    size = format_amount("ephemeral-storage", claim.size).partition(" of ")[0] if claim.size else "-"
    modes = ", ".join(claim.modes)
    return say("it requests {size}, {modes}, class {class_}", size=size, modes=modes, class_=class_)


CAUSE = Cause(
    id="storage.claim-unbound",
    title=say("no volume is available for the Pod's PVC"),
    subjects=("Pod",),
    stages=("scheduled", *_starting.VOLUMES),
    reads=_placed.READS | _starting.READS | {Claim, Deletion, Life, Needs, Presence, StorageClass},
    rule=_rule,
)
