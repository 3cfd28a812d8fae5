"""A claim's requested volume still belongs to an earlier claim

## How it happens

A PersistentVolume with the policy Retain whose claim was deleted is Released: it keeps its `claimRef` with
the old claim's uid, so no other claim accidentally gets the data. A new claim of the same name, or with the
volume's name (`volumeName`), has another uid, and the controller never binds the two.

## How to tell

The claim is Pending and names a volume whose `claimRef` is another PVC's; the volume's phase is Released, or
Bound to another claim. Its event reads `volume "x" already bound to a different claim.`

## Known limits

A claim without `volumeName` that has the name of the old one is recognized only where the volumes were
listed. The data on the volume is not looked at.

## References

- Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go (syncUnboundClaim), documentation
  "Persistent Volumes", Reclaiming
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unstuck.causes.storage._claims import (
    MANY,
    READS,
    find_event_words,
    may_wait_for_claim,
    name_claim,
    waits,
)
from unstuck.causes.storage._claims import find_claims as claims_of
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, only_yes, some, unique
from unstuck.diagnosis.text import Messages, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Claim
from unstuck.facts.aspects.objects import Phase
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.aspects.storage import Reserved
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

Owner = tuple[str, str, str]
Held = tuple[Ref, str, Owner]


def _rule(subject: Ref, snap: Facts) -> Signs:
    used = claims_of(subject, snap)
    claims = used.hits[:MANY]
    held = any_of([_find_held(snap.canon(c), snap) for c in claims])
    told = any_of(
        [find_event_words(c, snap, "FailedBinding", "already bound to a different claim") for c in claims]
    )
    heard_of = tuple((c, text.partition('"')[2].partition('"')[0], ("", "", "")) for c, text in told.hits)
    return Signs(
        applies=waits(subject, snap, used),
        decisive={"the volume that the claim asks for is reserved for another PVC": held},
        supporting={"the controller says that the volume is another PVC's": only_yes(told)},
        finding=lambda: _make_finding(subject, (*held.hits, *heard_of)[0], snap),
    )


def _find_held(claim: Ref, snap: Facts) -> Sign[Held]:
    waiting: Sign[Any] = some(snap, Phase, claim, lambda f: [f.phase] if f.phase == "Pending" else [])
    named = some(snap, Claim, claim, lambda f: [f.volume] if f.volume else [])
    if named.value:
        volume = Ref("PersistentVolume", None, named.hits[0])
        taken: Sign[Any] = some(
            snap,
            Reserved,
            volume,
            lambda f: (
                [(claim, volume.name, f.claim)] if f.claim and _is_reserved_for_other(f.claim, claim) else []
            ),
        )
        return all_of([waiting, named, taken])
    again: Sign[Any] = some(snap, PlacingInputs, Ref("Cluster"), lambda f: _list_released_volumes(f, claim))
    # "No old volume has the claim's name" is a no only if the volumes were listed.
    if again.value:
        return all_of([waiting, again])
    return Sign(named.value, seen=named.seen, wants=named.wants)


def _list_released_volumes(inputs: PlacingInputs, claim: Ref) -> Iterable[Held]:
    """Return released volumes whose former claim had this name."""
    mine = [
        v
        for v in inputs.volumes
        if v.claim and v.phase == "Released" and v.claim[:2] == (claim.within, claim.name)
    ]
    return [(claim, v.name, v.claim) for v in mine if v.claim and claim.uid and v.claim[2] != claim.uid]


def _is_reserved_for_other(owner: Owner, claim: Ref) -> bool:
    """Tell whether the volume is reserved for another claim: one without a uid matches by name, one with a
    uid that claim alone.
    """
    if owner[:2] != (claim.within, claim.name):
        return True
    return bool(owner[2] and claim.uid and owner[2] != claim.uid)


def _make_finding(subject: Ref, held: Held, snap: Facts) -> Finding:
    claim, volume, owner = held
    whose = f"{owner[0]}/{owner[1]}" if owner[1] else ""
    same = owner[:2] == (claim.within, claim.name)
    phase = next((f.phase for f in snap.of(Phase, Ref("PersistentVolume", None, volume))), "")
    of = (
        say(" an earlier PVC of the same name")
        if same
        else same_in_both(f" PVC {whose}")
        if whose
        else say(" another PVC")
    )
    return Finding(
        say(
            "{shown} requests volume {volume}, which is still reserved for",
            shown=name_claim(claim),
            volume=volume,
        )
        + of,
        culprit=Ref("PersistentVolume", None, volume),
        blocks=unique((claim, subject)),
        notes=(say("the volume is {phase}", phase=phase),) if phase else (),
        help=(
            Step(
                say("first find out what it holds and whose it was"),
                command=command("kubectl get {volume} -o yaml", volume=given.obj("pv", volume)),
            ),
            *(() if phase == "Bound" else (_hand_over(volume),)),
            Step(
                say("or give the new PVC a new volume: remove its volumeName"),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("delete the Released PV to free its name"),
                say(
                    "that loses the record of where the data is, and with policy "
                    "Delete the data itself is lost"
                ),
            ),
        ),
    )


def _hand_over(volume: str) -> Step:
    """Return the step that hands the volume over; it is not offered for a bound volume, whose claim would
    lose it.
    """
    return Step(
        say(
            "only if the new PVC is meant to have that data, and nothing else uses it: remove the uid from "
            "the PV's claimRef (and set its name); data overwritten by the new PVC's Pods is lost for good"
        ),
        command=command("kubectl edit {volume}", volume=given.obj("pv", volume)),
        risk="loses-data",
        verify=say("the PVC becomes Bound"),
    )


CAUSE = Cause(
    id="storage.released-volume-claimed",
    title=say("a PVC's requested volume still belongs to an earlier PVC"),
    subjects=("PersistentVolumeClaim", "Pod"),
    needs=may_wait_for_claim,
    reads=READS | {Reserved, PlacingInputs},
    rule=_rule,
)
