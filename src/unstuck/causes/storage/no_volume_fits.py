"""No existing volume fits a claim, and no provisioner creates one for it

## How it happens

A claim with an empty class (`storageClassName: ""`), of a class whose provisioner is
`kubernetes.io/no-provisioner`, or of one that is no StorageClass and that only volumes name, is only ever
bound to a manually created PersistentVolume. Each existing one is too small, has another class, access mode
or volume mode, lacks a label of the claim's selector, or is reserved for another claim.

## How to tell

The claim stays Pending without any ProvisioningFailed; its event at most says `no persistent volumes
available for this claim and no storage class is set`. Held against every PersistentVolume, none meets all
that the controller compares; the mismatch of the nearest ones is reported.

## Known limits

A claim that names its volume (`volumeName`) is storage.volume-mismatch; a class that waits for the first
consumer is the scheduler's to decide. Which Nodes reach a volume is not looked at.

## References

- Kubernetes component-helpers/storage/volume/pv_helpers.go (FindMatchingVolume, CheckAccessModes, 1.34)
- Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go (syncUnboundClaim)
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.causes.storage._claims import (
    MANY,
    READS,
    find_volumes_of_class,
    is_pending,
    may_wait_for_claim,
    name_claim,
    waits,
)
from unstuck.causes.storage._claims import find_claims as claims_of
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, only_yes, some, unique
from unstuck.diagnosis.text import Messages, Text, join_texts, list_names
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Claim, StorageClass
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.placing import ClaimInput, VolumeInput
from unstuck.facts.aspects.storage import ClaimOffers
from unstuck.facts.core import Ref
from unstuck.facts.derive.requirements import holds, write_requirement
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import format_quantity

say = Messages(__name__)

_SHOWN = 3
_BY_HAND = "kubernetes.io/no-provisioner"
_FILESYSTEM = "Filesystem"


def _rule(subject: Ref, snap: Facts) -> Signs:
    used = claims_of(subject, snap)
    unfit = any_of(
        [
            all_of([is_pending(c, snap), _is_bound_by_hand(c, snap), _judge_fit(c, snap)])
            for c in used.hits[:MANY]
        ]
    )
    shown = any_of([_find_shown(c, snap) for c in used.hits[:MANY]])
    return Signs(
        applies=waits(subject, snap, used),
        decisive={
            "no provisioner makes a volume for the claim, and none of those that there are fits": unfit
        },
        supporting={"none of the shown volumes of its class is free": shown},
        finding=lambda: _make_finding(subject, (unfit if unfit.value else shown).hits[0]),
    )


def _find_shown(claim: Ref, snap: Facts) -> Sign[ClaimOffers]:
    """Return the volumes of its class that a text shows beside it, all of them made by people and taken."""
    return only_yes(some(snap, ClaimOffers, claim, lambda f: [f] if not f.whole and _is_all_taken(f) else []))


def _is_all_taken(f: ClaimOffers) -> bool:
    return _is_without_offer(f) and all(v.phase != "Available" for v in f.volumes)


def _is_bound_by_hand(claim: Ref, snap: Facts) -> Sign[str]:
    """Tell whether the claim takes only existing volumes, and at once: its class is empty, or has no
    provisioner.
    """
    named = some(snap, Claim, claim, lambda f: [f.storage_class] if f.storage_class is not None else [])
    if not named.value or not named.hits[0]:
        return named
    class_ = Ref("StorageClass", None, named.hits[0])
    absent = some(snap, Presence, class_, lambda f: [] if f.exists else [named.hits[0]])
    if absent.value:
        return all_of([absent, find_volumes_of_class(claim, snap)])
    return some(
        snap,
        StorageClass,
        class_,
        lambda f: [f.provisioner] if f.provisioner == _BY_HAND and not f.waits else [],
    )


def _judge_fit(claim: Ref, snap: Facts) -> Sign[ClaimOffers]:
    return some(snap, ClaimOffers, claim, lambda f: [f] if f.whole and _is_without_offer(f) else [])


def _is_without_offer(f: ClaimOffers) -> bool:
    """Tell whether no volume fits; not if one is reserved for an earlier claim of the same name, which is a
    separate cause.
    """
    unread = bool(f.claim.unreadable) or any(v.unreadable for v in f.volumes)
    of_before = (v for v in f.volumes if v.claim and v.claim[:2] == (f.claim.namespace, f.claim.name))
    return (
        not unread
        and next(of_before, None) is None
        and all(any(_list_differences(f.claim, v)) for v in f.volumes)
    )


def _list_differences(claim: ClaimInput, volume: VolumeInput) -> Iterator[Text]:
    """Yield the differences that prevent a binding, as the controller compares the two."""
    if volume.claim:
        yield say("is reserved for PVC {owner}", owner="/".join(volume.claim[:2]))
    elif volume.terminating:
        yield say("is being deleted")
    elif volume.phase != "Available":
        yield say("is {phase}", phase=volume.phase or "-")
    if volume.storage_class != (claim.storage_class or ""):
        yield say("has StorageClass {of_volume}", of_volume=volume.storage_class or '""')
    if (volume.capacity or 0) < (claim.size or 0):
        yield say("has {size}", size=format_quantity(volume.capacity or 0))
    if lacks := [m for m in claim.modes if m not in volume.modes]:
        yield say("lacks access mode {lacks}", lacks=list_names(lacks))
    if (volume.mode or _FILESYSTEM) != (claim.mode or _FILESYSTEM):
        yield say("has volumeMode {mode}", mode=volume.mode or _FILESYSTEM)
    if unmet := _list_unmet(claim, volume):
        yield say("has no label {unmet}", unmet=list_names(unmet))


def _list_unmet(claim: ClaimInput, volume: VolumeInput) -> list[str]:
    return [
        write_requirement(r)
        for r in (claim.selector.requirements if claim.selector else ())
        if not holds(r, dict(volume.labels))
    ]


def _make_finding(subject: Ref, offers: ClaimOffers) -> Finding:
    asked = offers.claim
    claim = Ref("PersistentVolumeClaim", asked.namespace, asked.name, asked.uid or None)
    apart = sorted(
        ((v.name, [*_list_differences(asked, v)]) for v in offers.volumes),
        key=lambda one: (len(one[1]), one[0]),
    )
    notes = [
        say("PersistentVolume {name} {how}", name=name, how=join_texts(how, ", ", "，"))
        for name, how in apart[:_SHOWN]
    ]
    if len(apart) > _SHOWN:
        notes.append(say("{count} more fit no better", count=len(apart) - _SHOWN))
    bound = say("the PVC becomes Bound, then its Pod is scheduled")
    return Finding(
        say("no PersistentVolume fits {shown}, and none is made for it", shown=name_claim(claim))
        + _choose_nearest(apart),
        culprit=claim,
        # That a class which only volumes name is no object is no fault of its own.
        blocks=unique((claim, *_name_own_class(asked), subject)),
        notes=(*((_describe_demands(asked),) if offers.whole else ()), *notes),
        help=(
            Step(
                say("compare the PVC with the volumes that there are"),
                command=command("kubectl get pv --show-labels"),
            ),
            Step(
                say(
                    "create a PersistentVolume that fits, correct the one intended for it, or correct the "
                    "PVC (a never-bound PVC holds no data, so it can be recreated)"
                ),
                where="source",
                verify=bound,
            ),
        ),
        do_not=(
            DoNot(
                say("remove the claimRef of another claim's volume"),
                say("its data is still on it, and the new owner may overwrite it"),
            ),
        ),
    )


def _name_own_class(asked: ClaimInput) -> tuple[Ref, ...]:
    return (Ref("StorageClass", None, asked.storage_class),) if asked.storage_class else ()


def _choose_nearest(apart: list[tuple[str, list[Text]]]) -> Text:
    if not apart:
        return say(": there is no PersistentVolume at all")
    name, how = apart[0]
    return say(": {name}, the nearest, {how}", name=name, how=join_texts(how, ", ", "，"))


def _describe_demands(asked: ClaimInput) -> Text:
    selected = [write_requirement(r) for r in asked.selector.requirements] if asked.selector else []
    return say(
        "the PVC asks for {size}, {modes}, StorageClass {class_}, labels {labels}",
        size=format_quantity(asked.size or 0),
        modes=list_names(asked.modes),
        class_=asked.storage_class or '""',
        labels=list_names(selected) if selected else "-",
    )


CAUSE = Cause(
    id="storage.no-volume-fits",
    title=say("no PersistentVolume fits the PVC"),
    subjects=("PersistentVolumeClaim", "Pod"),
    needs=may_wait_for_claim,
    reads=READS | {ClaimOffers, Presence},
    rule=_rule,
)
