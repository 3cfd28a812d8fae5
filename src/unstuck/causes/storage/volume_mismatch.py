"""The volume that a claim asks for does not fit the claim

## How it happens

A claim names its volume (`volumeName`), or a volume its claim, and the two differ in what both must have: the volume is smaller than the
claim's request, has another StorageClass, lacks one of the access modes, or is a block device where a file system is asked for. Often the
volume was written by hand, or the class of the claim is the cluster's default and the volume has none.

## How to tell

The claim is Pending, and the controller's last event about it is VolumeMismatch: `Cannot bind to requested volume "x": WHY`, where WHY is
`requested PV is too small`, `storageClassName does not match`, `incompatible accessMode` or `incompatible volumeMode`.

## Known limits

Only the first of several differences is told. A volume that fits and is another PVC's is storage.released-volume-claimed.

## References

- Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go (checkVolumeSatisfyClaim, 1.9–1.34)
"""

from __future__ import annotations

import re

from unstuck.causes.storage._claims import MANY, READS, claim_name, waits
from unstuck.causes.storage._claims import claims as claims_of
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, hearsay, only_yes, some, unique
from unstuck.diagnosis.text import Messages, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Events, Phase
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_SAID = re.compile(r'[Cc]annot bind to requested volume "(?P<volume>[^"]{1,253})": (?P<why>.{1,300})')
_WHY = (
    ("too small", say("it is smaller than the PVC's request")),
    ("storageClassName", say("it has a different StorageClass")),
    ("accessMode", say("it lacks an access mode the PVC requests")),
    ("volumeMode", say("one is a block device, the other a file system")),
)
Told = tuple[Ref, str, str]


def _rule(subject: Ref, snap: Facts) -> Signs:
    used = claims_of(subject, snap)
    said = {c: _last_word(c, snap) for c in used.hits[:MANY]}
    refused = any_of([all_of((_waiting(c, snap), _or_events(c, s))) for c, s in said.items()])
    told = any_of(list(said.values()))
    return Signs(
        applies=waits(subject, snap, used),
        decisive={"the claim is Pending, and the controller's last word is that its volume does not fit": refused},
        supporting={"the controller says that the volume does not fit": only_yes(told)},
        finding=lambda: _finding(subject, (*refused.hits, *told.hits)[0]),
    )


def _or_events(claim: Ref, told: Sign[Told]) -> Sign[Told]:
    return told if told.value else Sign(None, wants=(Want(Events, claim),))


def _last_word(claim: Ref, snap: Facts) -> Sign[Told]:
    """Find (claim, volume, why) where the newest event of the claim says so."""
    every = [e for f in snap.of(Events, claim) for e in f.items]
    newest = max(enumerate(every), key=lambda e: (e[1].last is not None, e[1].last or snap.now, e[0]), default=(0, None))[1]
    found = _SAID.search(newest.message) if newest and newest.reason == "VolumeMismatch" else None
    return hearsay(snap, Events, claim, lambda f: [(claim, found["volume"], found["why"].strip())] if found and newest in f.items else [])


def _waiting(claim: Ref, snap: Facts) -> Sign[str]:
    """Return whether the claim is Pending: one that names its volume is, until the two are bound."""
    return some(snap, Phase, claim, lambda f: [f.phase] if f.phase == "Pending" else [])


def _finding(subject: Ref, told: Told) -> Finding:
    claim, volume, why = told
    says = next((text for word, text in _WHY if word in why), same_in_both(why))
    return Finding(
        say("volume {volume}, requested by PVC {shown}, does not match it: ", volume=volume, shown=claim_name(claim)) + says,
        culprit=Ref("PersistentVolume", None, volume),
        blocks=unique((claim, subject)),
        notes=(say("the controller: {why}", why=why),),
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
                say("correct whichever is wrong in its source; a never-bound PVC holds no data, so it can be recreated"),
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
    )


CAUSE = Cause(
    id="storage.volume-mismatch",
    title=say("a PVC's requested volume does not match the PVC"),
    subjects=("PersistentVolumeClaim", "Pod"),
    reads=READS,
    rule=_rule,
)
