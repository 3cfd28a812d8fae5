"""A claim's requested volume does not match the claim

## How it happens

A claim names its volume (`volumeName`), or a volume its claim, and the two differ in a property that must
match: the volume is smaller than the claim's request, has another StorageClass, lacks one of the access
modes, or is a block device although a file system is requested. Often the volume was written by hand, or the
class of the claim is the cluster's default and the volume has none.

## How to tell

The claim is Pending, and the controller's last event about it is VolumeMismatch: `Cannot bind to requested
volume "x": WHY`, where WHY is `requested PV is too small`, `storageClassName does not match`, `incompatible
accessMode` or `incompatible volumeMode`. The controller reports only the first difference; if both objects
were read, all differences are listed with both values, and prove it without an Event.

## Known limits

The default class that a claim without one would get is not compared. A volume that fits and is another PVC's
is storage.released-volume-claimed.

## References

- Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go (checkVolumeSatisfyClaim, 1.9–1.34)
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.causes.storage._claims import MANY, READS, may_wait_for_claim, name_claim, waits
from unstuck.causes.storage._claims import find_claims as claims_of
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, hearsay, only_yes, some, unique
from unstuck.diagnosis.text import Messages, Text, join_texts, list_names, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Claim
from unstuck.facts.aspects.objects import Events, Phase
from unstuck.facts.aspects.storage import Reserved
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import format_quantity
from unstuck.facts.regex import regex

say = Messages(__name__)

_SAID = regex(r'[Cc]annot bind to requested volume "(?P<volume>[^"]{1,253})": (?P<why>.{1,300})')
_WHY = (
    ("too small", say("it is smaller than the PVC's request")),
    ("storageClassName", say("it has a different StorageClass")),
    ("accessMode", say("it lacks an access mode the PVC requests")),
    ("volumeMode", say("one is a block device, the other a file system")),
)
Told = tuple[Ref, str, str]
Pair = tuple[Ref, str, Text]


def _rule(subject: Ref, snap: Facts) -> Signs:
    used = claims_of(subject, snap)
    said = {c: _find_last_word(c, snap) for c in used.hits[:MANY]}
    refused = any_of([all_of((_is_waiting(c, snap), _ask_events(c, s))) for c, s in said.items()])
    told = any_of(list(said.values()))
    differ = any_of([all_of((_is_waiting(c, snap), _find_differences(c, snap))) for c in said])
    return Signs(
        applies=waits(subject, snap, used),
        decisive={
            "the claim is Pending, and the controller's last word is that its volume does not fit": refused,
            "the claim is Pending, and the volume that it names differs in what both must have": differ,
        },
        supporting={"the controller says that the volume does not fit": only_yes(told)},
        finding=lambda: _make_finding(subject, (*refused.hits, *told.hits), differ.hits),
    )


def _find_differences(claim: Ref, snap: Facts) -> Sign[Pair]:
    """Find (claim, volume, how they differ) for each field that the controller compares
    (checkVolumeSatisfyClaim).
    """
    asked = next((f for f in snap.of(Claim, claim) if f.volume), None)
    if asked is None or not asked.volume:
        return Sign(None)
    name = asked.volume
    found = some(
        snap,
        Reserved,
        Ref("PersistentVolume", None, name),
        lambda f: [(claim, name, how) for how in _list_differences(asked, f)],
    )
    return Sign(
        found.value, found.hits, unique((asked, *found.seen)), found.wants, found.sure and snap.sure(asked)
    )


def _list_differences(asked: Claim, has: Reserved) -> Iterator[Text]:
    if asked.size is not None and has.size is not None and has.size < asked.size:
        yield say(
            "it has {size}, the PVC requests {asked}",
            size=format_quantity(has.size),
            asked=format_quantity(asked.size),
        )
    if asked.storage_class is not None and asked.storage_class != has.storage_class:
        yield say(
            "its storageClassName is {of_volume}, the PVC's is {of_claim}",
            of_volume=has.storage_class or '""',
            of_claim=asked.storage_class or '""',
        )
    if has.modes and (lacks := [m for m in asked.modes if m not in has.modes]):
        yield say(
            "its accessModes are {modes}, the PVC requests {lacks}",
            modes=list_names(has.modes),
            lacks=list_names(lacks),
        )
    if asked.block != has.block:
        yield say(
            "its volumeMode is {of_volume}, the PVC's is {of_claim}",
            of_volume=_mode(has.block),
            of_claim=_mode(asked.block),
        )


def _mode(block: bool) -> str:
    return "Block" if block else "Filesystem"


def _ask_events(claim: Ref, told: Sign[Told]) -> Sign[Told]:
    return told if told.value else Sign(None, wants=(Want(Events, claim),))


def _find_last_word(claim: Ref, snap: Facts) -> Sign[Told]:
    """Find (claim, volume, why) in the newest Event of the claim."""
    every = [e for f in snap.of(Events, claim) for e in f.items]
    newest = max(
        enumerate(every),
        key=lambda e: (e[1].last is not None, e[1].last or snap.now, e[0]),
        default=(0, None),
    )[1]
    found = _SAID.search(newest.message) if newest and newest.reason == "VolumeMismatch" else None
    return hearsay(
        snap,
        Events,
        claim,
        lambda f: [(claim, found["volume"], found["why"].strip())] if found and newest in f.items else [],
    )


def _is_waiting(claim: Ref, snap: Facts) -> Sign[str]:
    """Return whether the claim is Pending: a claim with a volume name is, until the two are bound."""
    return some(snap, Phase, claim, lambda f: [f.phase] if f.phase == "Pending" else [])


def _make_finding(subject: Ref, told: tuple[Told, ...], differ: tuple[Pair, ...]) -> Finding:
    claim, volume = told[0][:2] if told else differ[0][:2]
    why = told[0][2] if told else ""
    how = [text for of, name, text in differ if (of, name) == (claim, volume)]
    says = (
        join_texts(how, "; ", "；")
        if how
        else next((text for word, text in _WHY if word in why), same_in_both(why))
    )
    return Finding(
        say(
            "volume {volume}, requested by {shown}, does not match it: ",
            volume=volume,
            shown=name_claim(claim),
        )
        + says,
        culprit=Ref("PersistentVolume", None, volume),
        blocks=unique((claim, subject)),
        notes=(say("the controller: {why}", why=why),) if why else (),
        help=(
            Step(
                say("compare the two: size, storageClassName, accessModes, volumeMode"),
                command=command(
                    "kubectl get {volume} {claim} {space} -o yaml",
                    volume=given.obj("pv", volume),
                    claim=given.obj("pvc", claim.name),
                    space=given.space(claim),
                ),
            ),
            Step(
                say(
                    "correct the wrong one at its source; a never-bound PVC holds no "
                    "data, so it can be recreated"
                ),
                where="source",
                verify=say("the PVC becomes Bound, then its Pod is scheduled"),
            ),
        ),
        do_not=(
            DoNot(
                say("delete a volume with data to recreate it with other fields"),
                say("with policy Delete its data is deleted as well"),
            ),
        ),
        enrich=() if how else (Want(Reserved, Ref("PersistentVolume", None, volume)), Want(Claim, claim)),
    )


CAUSE = Cause(
    id="storage.volume-mismatch",
    title=say("a PVC's requested volume does not match the PVC"),
    subjects=("PersistentVolumeClaim", "Pod"),
    needs=may_wait_for_claim,
    reads=READS | {Reserved},
    rule=_rule,
)
