"""What was judged once is judged again only where something that it read has become different: most answers change little.

A rule is a function of its subject and of what it looks up. Beside each judgement stands what was looked up, and what was found; in a
Snapshot that grew from the one that was judged all of it is looked up again, which takes a small part of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from unstuck.diagnosis.answer import Explained, Stage, State
from unstuck.diagnosis.cause import Asking
from unstuck.diagnosis.sign import Sign
from unstuck.facts.core import F, Fact, Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.vocabulary.stages import StageId
from unstuck.stages.lines import gated, stage_line
from unstuck.stages.state import state_of

T = TypeVar("T")


def judged(cause: Asking, subject: Ref, gate: Sign[Any], snap: Snapshot) -> Explained:
    """One cause put to one subject behind this gate; an earlier judgement where it still holds."""
    if gate.value is False:
        # Its signs are read by nobody but who wants to see why.
        return Explained(cause.id, subject, gate, lambda: cause.rule(subject, snap))
    key = (subject, cause.id)
    found = cast("_Judged | None", snap.kept.get(key))
    # Only a verdict that was read has looked up all that it needs.
    if found and found.cause is cause and "verdict" in vars(found.explained) and _same(found.gate, gate) and found.reading.holds(snap):
        return found.explained
    reading = Reading(snap)
    explained = Explained(cause.id, subject, gate, lambda: cause.rule(subject, reading))
    snap.kept[key] = _Judged(cause, gate, explained, reading)
    return explained


def asks(cause: Asking, subject: Ref) -> bool:
    """Whether the cause is asked about this kind. `*` stands for every kind."""
    return subject.kind in cause.subjects or "*" in cause.subjects


def asked_about(subject: Ref, causes: Sequence[Asking], snap: Snapshot) -> Sequence[Asking]:
    """Those of the causes that are asked about this kind of subject."""
    return _made_of(causes, ("asked", subject.kind), lambda: tuple(c for c in causes if asks(c, subject)), snap)


def by_id(causes: Sequence[Asking], snap: Snapshot) -> Mapping[str, Asking]:
    """The causes by their ids."""
    return _made_of(causes, "by id", lambda: {c.id: c for c in causes}, snap)


def _made_of(source: object, key: object, make: Callable[[], T], snap: Snapshot) -> T:
    """What was made of this very source under this key, or is made now."""
    found = cast("tuple[object, T] | None", snap.kept.get(key))
    if found and found[0] is source:
        return found[1]
    made = make()
    snap.kept[key] = (source, made)
    return made


def _same(one: Sign[Any], other: Sign[Any]) -> bool:
    return one is other or one == other


def gate_of(subject: Ref, held: tuple[StageId, ...], stages: tuple[Stage, ...], snap: Snapshot) -> Sign[Any]:
    """As `gated`, worked out once for each line. stages: as `line_of` gave it."""
    if not stages:
        return gated(subject, held, stages, snap)
    return _made_of(stages, ("gate", subject, held), lambda: gated(subject, held, stages, snap), snap)


def line_of(subject: Ref, snap: Snapshot, after: float | None) -> tuple[tuple[Stage, ...], State]:
    """The subject's stages and its state. after: `--after`."""

    def work(reading: Snapshot) -> tuple[tuple[Stage, ...], State]:
        stages = stage_line(subject, reading)
        return stages, state_of(subject, reading, stages, after)

    return _once((subject, after), work, snap)


def _once(key: object, work: Callable[[Snapshot], T], snap: Snapshot) -> T:
    found = cast("tuple[T, Reading] | None", snap.kept.get(key))
    if found and found[1].holds(snap):
        return found[0]
    reading = Reading(snap)
    value = work(reading)
    snap.kept[key] = (value, reading)
    return value


class _Judged(NamedTuple):
    cause: Asking
    gate: Sign[Any]
    explained: Explained
    reading: Reading


class Reading(Snapshot):
    """A Snapshot that notes what is looked up in it, and looks it up once."""

    def __init__(self, snap: Snapshot) -> None:
        self._snap = snap
        self.now, self.facts, self.sources, self.kept = snap.now, snap.facts, snap.sources, snap.kept
        self._of: dict[tuple[type[Fact], Ref], tuple[Fact, ...]] = {}
        self._every: dict[type[Fact], tuple[Fact, ...]] = {}
        self._canon: dict[Ref, Ref] = {}
        self._sure: dict[Ref, tuple[Fact, bool]] = {}
        self._subjects: dict[str, tuple[Ref, ...]] = {}
        # The last Snapshot in which all was the same.
        self._held = snap

    def canon(self, ref: Ref) -> Ref:
        """As in `Snapshot`."""
        found = self._canon.get(ref)
        if found is None:
            found = self._canon[ref] = self._snap.canon(ref)
        return found

    def of(self, kind: type[F], about: Ref) -> tuple[F, ...]:
        """As in `Snapshot`."""
        found = self._of.get((kind, about))
        if found is None:
            found = self._of[kind, about] = self._snap.of(kind, about)
        return cast("tuple[F, ...]", found)

    def every(self, kind: type[F]) -> tuple[F, ...]:
        """As in `Snapshot`."""
        found = self._every.get(kind)
        if found is None:
            found = self._every[kind] = self._snap.every(kind)
        return cast("tuple[F, ...]", found)

    def sure(self, fact: Fact) -> bool:
        """As in `Snapshot`, which looks at whom the fact is about."""
        found = self._sure.get(fact.about)
        if found is None:
            found = self._sure[fact.about] = (fact, self._snap.sure(fact))
        return found[1]

    def subjects(self, kind: str) -> tuple[Ref, ...]:
        """As in `Snapshot`."""
        found = self._subjects.get(kind)
        if found is None:
            found = self._subjects[kind] = self._snap.subjects(kind)
        return found

    def plus(self, *_: object, **__: object) -> Snapshot:
        """A rule asks for nothing. Errors: TypeError."""
        raise TypeError("what only reads does not grow")

    def holds(self, snap: Snapshot) -> bool:
        """Whether all that was looked up is the same there."""
        if snap is self._held:
            return True
        same = (
            all((again := snap.of(kind, about)) is found or again == found for (kind, about), found in self._of.items())
            and all(snap.canon(ref) == found for ref, found in self._canon.items())
            and all(snap.sure(fact) is found for fact, found in self._sure.values())
            and all((told := snap.every(kind)) is facts or told == facts for kind, facts in self._every.items())
            and all(snap.subjects(kind) == refs for kind, refs in self._subjects.items())
        )
        if same:
            self._held = snap
        return same
