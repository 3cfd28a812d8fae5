"""Finds the programs that finalizers wait for, and whether these run: for the causes of a held finalizer.

A Ready Pod or a lease that is in time shows that a program runs. Age never proves that it is gone, and
neither does a look-up that failed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, some
from unstuck.diagnosis.text import Messages, Text, make_text, same_in_both, who
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.cluster import Candidate, FinalizerOwner
from unstuck.facts.aspects.objects import Finalizers
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.knowledge.finalizers import KnownFinalizer, find_known
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

_LEASE = 15


# The words of a fact for the tie between a program and a finalizer, and the message for each.
_TIES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Text]], ...] = (
    (
        re.compile(r"writes this object as (?P<it>.+)"),
        lambda m: say("writes this object as {it}", it=m["it"]),
    ),
    (
        re.compile(r"its name has (?P<it>.+) as the finalizer has"),
        lambda m: say("its name has {it} as the finalizer has", it=m["it"]),
    ),
    (
        re.compile(r"its label (?P<label>\S+) has (?P<it>.+) as the finalizer has"),
        lambda m: say("its label {label} has {it} as the finalizer has", label=m["label"], it=m["it"]),
    ),
    (
        re.compile(r"its Namespace has (?P<it>.+) as the finalizer has"),
        lambda m: say("its Namespace has {it} as the finalizer has", it=m["it"]),
    ),
    (
        re.compile(r"holds lease (?P<it>\S+), which is that of this driver's attacher"),
        lambda m: say("holds lease {it}, which is that of this driver's attacher", it=m["it"]),
    ),
)


def describe_tie(c: Candidate) -> Text:
    """Return the tie as a clause: `Deployment shop/operator: writes this object as operator`."""
    why = next((tie(found) for one, tie in _TIES if (found := one.fullmatch(c.why))), same_in_both(c.why))
    return say("{ref}: {why}", ref=who(c.ref), why=why)


@record()
class HeldFinalizer(Record):
    """One finalizer of the subject, and the evidence about its owner."""

    name: str
    owner: FinalizerOwner

    @property
    def row(self) -> KnownFinalizer | None:
        """Return the general knowledge about it."""
        return find_known(self.name)


def find_foreign(subject: Ref, snap: Facts) -> Sign[str]:
    """Find the finalizers that Kubernetes itself does not clear; its own wait for conditions, which are other
    causes.
    """
    return some(
        snap, Finalizers, subject, lambda f: [n for n in f.names if not ((k := find_known(n)) and k.built_in)]
    )


def is_held_up(subject: Ref, snap: Facts) -> Sign[Any]:
    """Tell whether such a finalizer holds up a deletion that should have completed by now."""
    signs: list[Sign[Any]] = [is_overdue(subject, snap), find_foreign(subject, snap)]
    return all_of(signs)


def find_owners(
    subject: Ref, snap: Facts, pick: Callable[[HeldFinalizer], bool | None]
) -> Sign[HeldFinalizer]:
    """Return yes if `pick` accepts some foreign finalizer; no only if it rejects all; else the question about
    the owner.
    """
    names = find_foreign(subject, snap)
    signs = [_find_one(subject, snap, name, pick) for name in names.hits]
    told = any_of(signs) if signs else Sign(None, wants=names.wants)
    return told if told.value is not None else told._replace(hits=tuple(h for s in signs for h in s.hits))


def _find_one(
    subject: Ref, snap: Facts, name: str, pick: Callable[[HeldFinalizer], bool | None]
) -> Sign[HeldFinalizer]:
    facts = [f for f in snap.of(FinalizerOwner, subject) if f.finalizer == name]
    answers = [(f, pick(HeldFinalizer(name, f))) for f in facts]
    if yes := [f for f, answer in answers if answer]:
        return Sign(
            True, tuple(HeldFinalizer(name, f) for f in yes), tuple(yes), sure=any(snap.sure(f) for f in yes)
        )
    if facts and all(answer is False for _, answer in answers):
        return Sign(False, seen=tuple(facts))
    # The evidence does not settle it.
    speaks = tuple(HeldFinalizer(name, f) for f, answer in answers if answer is None and f.candidates)
    return Sign(None, speaks, tuple(facts), (Want(FinalizerOwner, subject),))


def is_alive(candidate: Candidate, now: datetime) -> bool:
    """Tell whether a Ready Pod, or a lease that is in time, shows that the controller runs."""
    return bool(candidate.ready) or (
        candidate.renewed is not None and now - candidate.renewed <= _read_duration(candidate)
    )


def is_late(candidate: Candidate, now: datetime) -> bool:
    """Tell whether its lease was not renewed in time."""
    return candidate.renewed is not None and now - candidate.renewed > _read_duration(candidate)


def is_down(candidate: Candidate) -> bool:
    """Tell whether it is a workload without a Ready Pod."""
    return candidate.ready == 0


def _read_duration(candidate: Candidate) -> timedelta:
    return timedelta(seconds=candidate.lease_seconds or _LEASE)


def note_purpose(held: HeldFinalizer) -> tuple[Text, ...]:
    """Note the finalizer's protected object, if known, and its author."""
    notes = []
    if row := held.row:
        notes.append(say("{held} protects {protects}", held=held.name, protects=make_text(row.protects)))
    if manager := held.owner.manager:
        notes.append(say("it was added by {manager}", manager=manager))
    return tuple(notes)


def make_removal_step(subject: Ref, snap: Facts, held: HeldFinalizer) -> Step | None:
    """Return the patch that removes this one finalizer of this one object; none if the object's uid is
    unknown.
    """
    uid = snap.canon(subject).uid
    names = next((f.names for f in snap.of(Finalizers, subject) if held.name in f.names), None)
    if uid is None or names is None or subject.name is None:
        return None
    path = f"/metadata/finalizers/{names.index(held.name)}"
    patch = [
        {"op": "test", "path": "/metadata/uid", "value": uid},
        {"op": "test", "path": path, "value": held.name},
        {"op": "remove", "path": path},
    ]
    lost = make_text(held.row.loses) if held.row else say("whatever it protected is never cleaned up")
    return Step(
        say(
            "only if the controller will not come back: remove this one finalizer by hand; {lost}", lost=lost
        ),
        command=command(
            "kubectl patch {object} {space} --type=json -p {patch}",
            object=given.of(subject),
            space=given.space(subject),
            patch=given.document(patch),
        ),
        risk="loses-data",
        verify=say("the object is deleted at once if no other finalizer remains"),
    )
