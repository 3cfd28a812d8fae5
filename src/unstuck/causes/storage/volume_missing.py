"""A claim's bound volume does not exist

## How it happens

The PersistentVolume was deleted, or claims were restored from a backup without the volumes, or moved to
another cluster. The claim still names its volume and is `Lost`; it is not bound again, and no Pod that uses
it is placed.

## How to tell

The claim's phase is `Lost`, and the server has no volume of its name. For a Pod that uses it the scheduler
reports `persistentvolumeclaim "c" bound to non-existent persistentvolume "x"`, `persistentvolume "x" not
found` or `node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)`. Compared with all
claims and volumes, a claim of the Pod is bound to a missing volume.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. A claim is `Lost`, too, where its volume is bound to another PVC: then the volume exists.
Only the storage behind it shows whether the data still exists.

## References

- Kubernetes pkg/scheduler/framework/plugins/volumezone, volumebinding/binder.go (1.34)
- pkg/controller/volume/persistentvolume (`ClaimLost`)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unstuck.causes.scheduling import _placed
from unstuck.causes.storage._claims import READS, find_claims, may_wait_for_claim, waits
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, only_yes, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Claim, Unschedulable
from unstuck.facts.aspects.objects import Names, Phase, Presence
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.facts.regex import regex

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis

_KIND = "storage.volume-missing"
_NAMED = regex(
    r'persistentvolume "([^"]{1,253})" not found|'
    r'persistentvolumeclaim "[^"]{1,253}" bound to non-existent persistentvolume "([^"]{1,253})"',
    re.IGNORECASE,
)


def _words(text: str) -> bool:
    return bool(_NAMED.search(text)) or "bound to non-existent pv" in text


def _rule(subject: Ref, snap: Facts) -> Signs:
    applies = waits(subject, snap, find_claims(subject, snap))
    if subject.kind != "Pod":
        return _judge_claim(subject, snap, applies)
    told = _placed.make_signs(
        subject,
        snap,
        _KIND,
        _words,
        lambda at, _: _make_pod_finding(subject, at, _volume_in_words(subject, snap)),
    )
    return replace(told, applies=applies)


def _judge_claim(claim: Ref, snap: Facts, applies: Sign[Any]) -> Signs:
    named = some(snap, Claim, claim, lambda f: [f.volume] if f.volume else [])
    volume = Ref("PersistentVolume", None, named.hits[0]) if named.hits else None
    gone: Sign[Any] = (
        some(snap, Presence, volume, lambda f: [] if f.exists else [f])
        if volume
        else Sign(None, wants=named.wants)
    )
    lacks = _find_unlisted(claim, volume, snap)
    return Signs(
        applies=applies,
        necessary={"it is bound to a volume, or names one": named},
        decisive={"the server has no volume of that name": gone},
        supporting={
            "its phase is Lost": some(snap, Phase, claim, lambda f: [f] if f.phase == "Lost" else []),
            "it is Pending, and the list of volumes beside it lacks the one that it names": lacks,
        },
        finding=lambda: (
            _make_pending_finding(claim, volume)
            if lacks.value and volume
            else _make_finding(claim, claim.name or "", (volume.name if volume else None) or "")
        ),
    )


def _find_unlisted(claim: Ref, volume: Ref | None, snap: Facts) -> Sign[Names]:
    """Find a pasted list of all volumes that lacks the volume of a never bound claim."""
    if volume is None or not any(f.phase == "Pending" for f in snap.of(Phase, claim)):
        return Sign(None)
    return only_yes(
        some(
            snap,
            Names,
            Ref("PersistentVolumeList"),
            lambda f: [f] if f.asked_all and volume.name not in f.names else [],
        )
    )


def _make_pending_finding(claim: Ref, volume: Ref) -> Finding:
    """Return the finding of a claim that was never bound: it has no data to lose."""
    return Finding(
        say(
            "PVC {claim} names PersistentVolume {volume} (volumeName), which the list of volumes does not "
            "have: no other one is made for it",
            claim=claim.name,
            volume=volume.name,
        ),
        culprit=volume,
        blocks=(claim,),
        help=(
            Step(
                say(
                    "leave volumeName out of the PVC, so that its class provisions a volume, or create the "
                    "PersistentVolume of that name; a never-bound PVC holds no data, so it can be recreated"
                ),
                where="source",
                verify=say("the PVC becomes Bound"),
            ),
        ),
    )


def _volume_in_words(pod: Ref, snap: Facts) -> str:
    """Return the volume's name in the scheduler's message."""
    texts = (text for f in snap.of(Unschedulable, pod) for text, _ in f.reasons)
    return next((m[1] or m[2] for text in texts if (m := _NAMED.search(text))), "")


def _make_pod_finding(pod: Ref, at: PlacementAnalysis | None, heard: str) -> Finding:
    return _make_finding(pod, *(next(iter(_list_lost_claims(pod, at)), ("", heard)) if at else ("", heard)))


def _make_finding(subject: Ref, claim: str, volume: str) -> Finding:
    """Return claim, volume: their names, "" if not known."""
    of = say(" of PVC {claim}", claim=claim) if claim else say(" of a PVC")
    named = f" {volume}" if volume else ""
    return Finding(
        say("volume{named}{of} does not exist", named=named, of=of),
        culprit=Ref("PersistentVolume", None, volume or None),
        blocks=(
            subject,
            *(
                (Ref("PersistentVolumeClaim", subject.within, claim),)
                if claim and subject.kind == "Pod"
                else ()
            ),
        ),
        help=(
            Step(
                say(
                    "find the volume on the storage (a backup of its manifest, the storage's own list) and "
                    "recreate the PersistentVolume under the same name, with a claimRef to this PVC"
                ),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("delete the PVC to get a new, empty volume"),
                say("the PVC is the last record of where the data is, and the app would start without it"),
            ),
        ),
    )


def _list_lost_claims(pod: Ref, at: PlacementAnalysis) -> list[tuple[str, str]]:
    """Return claims of the Pod, each with its missing volume."""
    names = [v.claim for v in at.pod.shape.spec.volumes if v.claim]
    claims = [c for n in names if (c := at.cluster.claims.get((pod.within or "", n)))]
    return [(c.name, c.volume) for c in claims if c.volume and c.volume not in at.cluster.volumes]


CAUSE = Cause(
    id="storage.volume-missing",
    title=say("a PVC's bound volume does not exist"),
    subjects=("PersistentVolumeClaim", "Pod"),
    needs=may_wait_for_claim,
    reads=_placed.READS | READS | {Names, Presence},
    rule=_rule,
)
