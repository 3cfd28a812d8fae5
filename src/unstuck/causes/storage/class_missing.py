"""The StorageClass that a claim names does not exist

## How it happens

A PersistentVolumeClaim names a class that this cluster does not have: manifests and charts bring the class of
another cluster (`standard`, `gp2`, `fast`), the class was renamed, or its driver is not installed yet. The
volume cannot be provisioned, so the claim stays Pending, and so does every Pod that uses it.

## How to tell

The claim is Pending and names a class; the server has no such StorageClass. The claim's event reads
`storageclass.storage.k8s.io "x" not found`, its Pod's condition `pod has unbound immediate
PersistentVolumeClaims`, regardless of the Pod's other needs.

## Known limits

A claim may also be bound to a volume that was made by hand and names the same class, without any StorageClass
object: where there is such a volume, storage.no-volume-fits is told as its root. A claim without a class
waits for the default class and is not covered here.

## References

- Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go (provisionClaim),
  pkg/scheduler/framework/plugins/volumebinding
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from unstuck.causes.storage._claims import (
    CLASSES,
    MANY,
    find_volumes_of_class,
    may_wait_for_claim,
    name_claim,
    waits,
)
from unstuck.causes.storage._claims import find_claims as claims_of
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, any_of, hearsay, only_yes, some, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, list_names
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Claim, StorageClass, Unschedulable
from unstuck.facts.aspects.objects import Deletion, Failure, Names, Phase, Presence
from unstuck.facts.aspects.pod import Needs, Placement, Volumes
from unstuck.facts.aspects.storage import ClaimOffers
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

Lack = tuple[Ref, str]


def _rule(subject: Ref, snap: Facts) -> Signs:
    used = claims_of(subject, snap)
    claims = used.hits[:MANY]
    lacking = any_of([_lacks(claim, snap) for claim in claims])
    told = any_of([_find_class_in_words(claim, snap) for claim in claims])
    unlisted = any_of([_is_unlisted(claim, snap) for claim in claims])
    if lacking.value is None:
        offers = tuple(Want(ClaimOffers, claim) for claim, _ in unlisted.hits)
        open_ = Sign[Lack](None, lacking.hits, lacking.seen, (*lacking.wants, *offers))
        lacking = _waits_for_claim(subject, open_, snap)

    def finding() -> Finding:
        # The scheduler's message is a hit of an open question: it names no class.
        hits = (*(lacking.hits if lacking.value else ()), *told.hits, *unlisted.hits)
        return _make_finding(subject, hits[0], snap)

    return Signs(
        applies=waits(subject, snap, used),
        decisive={"the claim is Pending, and the server has no class of the name that it gives": lacking},
        supporting={
            "the controller found no such class": told,
            "a pasted list of all classes lacks its name": only_yes(unlisted),
        },
        finding=finding,
    )


def _lacks(claim: Ref, snap: Facts) -> Sign[Lack]:
    return _weigh_named_class(claim, snap, _is_absent)


def _is_unlisted(claim: Ref, snap: Facts) -> Sign[Lack]:
    """Decide from a pasted list of all classes; a volume made by hand for the class needs no object of it."""

    def lacks(claim: Ref, name: str, snap: Facts) -> Sign[Lack]:
        made = any(v.storage_class == name for f in snap.of(ClaimOffers, claim) for v in f.volumes)
        return some(
            snap,
            Names,
            CLASSES,
            lambda f: [(claim, name)] if f.asked_all and not made and name not in f.names else [],
        )

    return _weigh_named_class(claim, snap, lacks)


def _weigh_named_class(
    claim: Ref, snap: Facts, is_gone: Callable[[Ref, str, Facts], Sign[Lack]]
) -> Sign[Lack]:
    pending: Sign[Any] = some(snap, Phase, claim, lambda f: [f.phase] if f.phase == "Pending" else [])
    named: Sign[Any] = some(
        snap, Claim, claim, lambda f: [f.storage_class] if f.storage_class and not f.volume else []
    )
    gone = any_of([is_gone(claim, name, snap) for name in named.hits])
    return all_of([pending, named, gone] if named.value else [pending, named])


def _is_absent(claim: Ref, name: str, snap: Facts) -> Sign[Lack]:
    """Decide by the answer to a GET, else by the whole list, which also gives the near names."""
    got = some(snap, Presence, Ref("StorageClass", None, name), lambda f: [] if f.exists else [(claim, name)])
    if got.value is not None:
        return got
    listed = some(snap, Names, CLASSES, lambda f: [(claim, name)] if f.whole and name not in f.names else [])
    return listed if listed.value is not None else any_of([got, listed])


def _waits_for_claim(subject: Ref, open_: Sign[Lack], snap: Facts) -> Sign[Lack]:
    """Find the open question, with the scheduler's word that it waits for a claim: that speaks for it."""
    said = hearsay(
        snap, Unschedulable, subject, lambda f: [text for text, _ in f.reasons if "unbound immediate" in text]
    )
    return Sign(
        None, tuple((subject, text) for text in said.hits), unique((*open_.seen, *said.seen)), open_.wants
    )


def _find_class_in_words(claim: Ref, snap: Facts) -> Sign[Lack]:
    return hearsay(
        snap, Failure, claim, lambda f: [(claim, f.object.name or "?")] if f.object and _is_class(f) else []
    )


def _is_class(f: Failure) -> bool:
    return f.error == "not-found" and f.object is not None and f.object.kind == "StorageClass"


def _make_finding(subject: Ref, lack: Lack, snap: Facts) -> Finding:
    claim, name = lack
    known = unique(n for f in snap.of(Names, CLASSES) for n in f.names)
    near = get_close_matches(name, sorted(known), 1, 0.7)
    default = [
        r.name for r in snap.subjects("StorageClass") if any(f.default for f in snap.of(StorageClass, r))
    ]
    notes = []
    if near:
        notes.append(say("did you mean {near}? That StorageClass exists", near=near[0]))
    elif known:
        notes.append(say("existing: {known}", known=list_names(known[:8])))
    elif any(f.whole for f in snap.of(Names, CLASSES)):
        notes.append(say("the cluster has no StorageClass at all"))
    if default:
        notes.append(say("the default is {default}", default=default[0]))
    bound = say("the PVC becomes Bound, then its Pod is scheduled")
    meant = near[0] if near else default[0] if default else ""
    other = say(" ({near})", near=meant) if meant else NO_TEXT
    return Finding(
        say("StorageClass {name} of {shown} does not exist", name=name, shown=name_claim(claim)),
        culprit=Ref("StorageClass", None, name),
        # Of a class that free volumes name: they would be bound without it, and it holds nothing up.
        blocks=() if find_volumes_of_class(claim, snap).value else unique((claim, subject)),
        notes=tuple(notes),
        help=(
            Step(
                say("create StorageClass {name}, as its provisioner documents it", name=name),
                where="source",
                verify=bound,
            ),
            Step(
                say("or use an existing class")
                + other
                + say(
                    " in the PVC's manifest and recreate the PVC (the field is immutable; a never-bound PVC "
                    "holds no data)"
                ),
                where="source",
                risk="none",
                verify=bound,
            ),
        ),
        do_not=(
            DoNot(
                say("create a class of that name on whatever provisioner is handy"),
                say("the data would land on unintended storage, and moving it later means copying it"),
            ),
        ),
        # Whether volumes that were made by hand have this class decides what to do.
        enrich=(Want(ClaimOffers, claim), *(() if known else (Want(Names, CLASSES),))),
    )


CAUSE = Cause(
    id="storage.class-missing",
    title=say("a PVC's StorageClass does not exist"),
    subjects=("PersistentVolumeClaim", "Pod"),
    needs=may_wait_for_claim,
    reads=frozenset(
        {
            Claim,
            ClaimOffers,
            StorageClass,
            Unschedulable,
            Deletion,
            Failure,
            Names,
            Phase,
            Presence,
            Needs,
            Placement,
            Volumes,
        }
    ),
    rule=_rule,
)
