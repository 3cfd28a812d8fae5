"""A PVC sets no StorageClass, and the cluster has no default one

## How it happens

A PersistentVolumeClaim without `storageClassName` asks for the default class, and no StorageClass carries the
annotation `storageclass.kubernetes.io/is-default-class: "true"`: none was ever marked (clusters built by
hand), or the annotation was lost in a chart's upgrade. Charts usually leave the field out.

## How to tell

The claim is Pending and has no class, and of the server's classes none is the default. A claim that has been
shown whole, waits for some minutes, and still has no class in its spec is likely one: the server fills in a
default as it is created. Its event reads `no persistent volumes available for this claim and no storage class
is set`.

## Known limits

Such a claim may also be bound to a manually created volume without a class, if one of its size and mode
exists. An empty name (`""`) requests exactly that and is not covered here. From 1.26 on, a claim gets a
default that is marked later by itself; before, it must be recreated.

## References

- Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go (syncUnboundClaim,
  assignDefaultStorageClass); KEP-3333
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.causes.storage._claims import (
    CLASSES,
    MANY,
    READS,
    find_event_words,
    is_pending,
    may_wait_for_claim,
    name_claim,
    waits,
)
from unstuck.causes.storage._claims import find_claims as claims_of
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, only_yes, some, unique
from unstuck.diagnosis.text import Messages, Text, list_names
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Claim, StorageClass
from unstuck.facts.aspects.objects import Names, Presence
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# A default that is marked later is given to a claim within this.
_SETTLED = timedelta(minutes=5)


def _rule(subject: Ref, snap: Facts) -> Signs:
    used = claims_of(subject, snap)
    claims = used.hits[:MANY]
    lacking = any_of(
        [all_of([is_pending(c, snap), _find_nameless(c, snap), _find_no_default(c, snap)]) for c in claims]
    )
    shown = any_of(
        [all_of([is_pending(c, snap), _find_nameless(c, snap), _waits_since(c, snap)]) for c in claims]
    )
    listed = any_of(
        [all_of([is_pending(c, snap), _find_nameless(c, snap), _find_none_listed(c, snap)]) for c in claims]
    )
    told = any_of([find_event_words(c, snap, "FailedBinding", "no storage class is set") for c in claims])
    return Signs(
        applies=waits(subject, snap, used),
        decisive={"the claim is Pending and sets no class, and none is the default": lacking},
        supporting={
            "the controller found no class for it": only_yes(told),
            "it is shown in full, is still waiting, and no class was set": only_yes(shown),
            "a pasted list of all classes marks none as the default": only_yes(listed),
        },
        finding=lambda: _make_finding(
            subject, (*lacking.hits, *(c for c, _ in told.hits), *listed.hits, *shown.hits)[0], snap
        ),
    )


def _find_nameless(claim: Ref, snap: Facts) -> Sign[Ref]:
    return some(snap, Claim, claim, lambda f: [claim] if f.storage_class is None else [])


def _waits_since(claim: Ref, snap: Facts) -> Sign[Ref]:
    """Tell whether the claim is past the moment in which the server gives it the default class.

    Source: plugin/pkg/admission/storage/storageclass/setdefault (at its creation), pv_controller.go
    (assignDefaultStorageClass).
    """
    return some(
        snap, Presence, claim, lambda f: [claim] if f.created and snap.now - f.created >= _SETTLED else []
    )


def _find_no_default(claim: Ref, snap: Facts) -> Sign[Ref]:
    """Decide from the whole list, with every class of it read."""
    names = some(snap, Names, CLASSES, lambda f: [f] if f.whole else [])
    if not names.value:
        return Sign(None, wants=(Want(Names, CLASSES),))
    known = [(n, snap.one(StorageClass, Ref("StorageClass", None, n))) for n in names.hits[0].names]
    if default := [c for _, c in known if c and c.default]:
        return Sign(False, seen=tuple(default))
    lack = next((n for n, c in known if c is None), None)
    if lack is not None:
        return Sign(None, wants=(Want(StorageClass, Ref("StorageClass", None, lack)),))
    return Sign(True, (claim,), (*names.seen, *(c for _, c in known if c)))


def _find_none_listed(claim: Ref, snap: Facts) -> Sign[Ref]:
    """Decide from a pasted list of all classes: each of its rows shows whether it is the default."""
    names = some(snap, Names, CLASSES, lambda f: [f] if f.asked_all else [])
    if not names.value:
        return Sign(None)
    known = [c for n in names.hits[0].names if (c := snap.one(StorageClass, Ref("StorageClass", None, n)))]
    none = len(known) == len(names.hits[0].names) and not any(c.default for c in known)
    return Sign(True, (claim,), (*names.seen, *known)) if none else Sign(None)


def _make_finding(subject: Ref, claim: Ref, snap: Facts) -> Finding:
    there = unique(n for f in snap.of(Names, CLASSES) for n in f.names)
    only = there[0] if len(there) == 1 else "NAME"
    none_at_all = not there and any(f.whole for f in snap.of(Names, CLASSES))
    bound = say("the PVC becomes Bound, then its Pod is scheduled")
    notes = (
        (say("existing: {there}", there=list_names(there[:8])),)
        if there
        else (say("the cluster has no StorageClass at all"),)
        if none_at_all
        else ()
    )
    return Finding(
        say(
            "{shown} does not set a StorageClass, and the cluster has no default one", shown=name_claim(claim)
        ),
        culprit=Ref("StorageClass", None, "(default)"),
        blocks=unique((claim, subject)),
        notes=notes,
        help=(
            _install(bound) if none_at_all else _mark(only, bound),
            Step(
                say(
                    "or set a class in the PVC's manifest (a never-bound PVC holds no "
                    "data, so it can be recreated)"
                ),
                where="source",
                verify=bound,
            ),
        ),
        do_not=(
            DoNot(
                say("mark two classes as default"),
                say("new PVCs get the newer one, or are rejected by old servers"),
            ),
        ),
    )


def _mark(name: str, bound: Text) -> Step:
    """Return many classes carry the annotation with `false`: kubectl does not write over it unasked."""
    return Step(
        say(
            "mark one class as the default for PVCs that do not set one; waiting PVCs get it automatically "
            "(from 1.26)"
        ),
        command=command(
            "kubectl annotate --overwrite {storage_class} storageclass.kubernetes.io/is-default-class=true",
            storage_class=given.obj("storageclass", name),
        ),
        risk="reversible",
        undo=command(
            "kubectl annotate {storage_class} storageclass.kubernetes.io/is-default-class-",
            storage_class=given.obj("storageclass", name),
        ),
        verify=bound,
    )


def _install(bound: Text) -> Step:
    return Step(
        say("install a storage driver with a StorageClass, and mark that class as the default"),
        where="source",
        verify=bound,
    )


CAUSE = Cause(
    id="storage.no-default-class",
    title=say("a PVC sets no StorageClass, and the cluster has no default one"),
    subjects=("PersistentVolumeClaim", "Pod"),
    needs=may_wait_for_claim,
    reads=READS | {Presence},
    rule=_rule,
)
