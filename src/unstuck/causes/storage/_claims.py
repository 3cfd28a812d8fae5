"""The claims that a subject waits for, and the existing classes: the starting point of several causes of this
family.
"""

from __future__ import annotations

from typing import Any

from unstuck.diagnosis.sign import Sign, all_of, any_of, hearsay, negate, some, unless_no
from unstuck.diagnosis.text import Messages, Text, same_in_both
from unstuck.facts.aspects.cluster import Claim, StorageClass, Unschedulable
from unstuck.facts.aspects.objects import Deletion, Events, Names, Phase
from unstuck.facts.aspects.pod import Needs, Placement, Volumes
from unstuck.facts.aspects.storage import ClaimOffers
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

CLASSES = Ref("StorageClassList")
MANY = 12
READS: frozenset[type[Fact]] = frozenset(
    {Claim, StorageClass, Deletion, Events, Names, Phase, Needs, Placement, Volumes, Unschedulable}
)


def find_claims(subject: Ref, snap: Facts) -> Sign[Ref]:
    """Find the claim itself; for a Pod the claims that it names, and the claims made for its ephemeral
    volumes (`POD-VOLUME`, KEP-1698).
    """
    if subject.kind != "Pod":
        return Sign(True, (subject,))
    named = some(snap, Needs, subject, lambda f: [n.object for n in f.items if n.by == "claim"])
    made = some(
        snap,
        Volumes,
        subject,
        lambda f: [
            Ref("PersistentVolumeClaim", subject.within, f"{subject.name}-{v.name}")
            for v in f.items
            if v.type == "ephemeral"
        ],
    )
    return any_of([named, made])


def waits(subject: Ref, snap: Facts, used: Sign[Ref]) -> Sign[Any]:
    """Return whether it is a Pod without a Node, or a claim, that is not being deleted."""
    stays: Sign[Any] = negate(some(snap, Deletion, subject, lambda f: [f] if f.requested else []))
    if subject.kind != "Pod":
        return all_of([stays, used])
    unplaced: Sign[Any] = negate(some(snap, Placement, subject, lambda f: [f.node] if f.node else []))
    return all_of([stays, unplaced, used])


def may_wait_for_claim(subject: Ref, snap: Facts) -> Sign[Any]:
    """Return no for a Pod that has a Node, or names no claim, and for an object in deletion."""
    return unless_no(waits(subject, snap, find_claims(subject, snap)))


def is_pending(claim: Ref, snap: Facts) -> Sign[Any]:
    """Tell whether the claim is Pending and unbound."""
    phase: Sign[Any] = some(snap, Phase, claim, lambda f: [f.phase] if f.phase == "Pending" else [])
    free: Sign[Any] = some(snap, Claim, claim, lambda f: [claim] if not f.volume else [])
    return all_of([phase, free])


def find_event_words(claim: Ref, snap: Facts, reason: str, *words: str) -> Sign[tuple[Ref, str]]:
    """Return the message about the claim in an Event with this reason and one of the words."""

    def pick(f: Events) -> list[tuple[Ref, str]]:
        return [
            (claim, e.message)
            for e in f.items
            if e.reason == reason and (not words or any(w in e.message for w in words))
        ]

    return hearsay(snap, Events, claim, pick)


def find_volumes_of_class(claim: Ref, snap: Facts) -> Sign[str]:
    """Find the free volumes that name a claim's class: people make these, and the class needs no object for
    them.
    """

    def find(f: ClaimOffers) -> list[str]:
        named = f.claim.storage_class
        return [v.name for v in f.volumes if named and v.storage_class == named and v.phase == "Available"]

    return some(snap, ClaimOffers, claim, find)


def name_claim(claim: Ref) -> Text:
    """Return `PVC f/data`; "the PVC" if its name was not seen."""
    if not claim.name:
        return say("the PVC")
    return same_in_both(f"PVC {claim.within}/{claim.name}" if claim.within else f"PVC {claim.name}")
