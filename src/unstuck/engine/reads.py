"""The facts that a rule receives. Every look-up is logged: a judgement stays valid as long as all of them return the same."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from unstuck.facts import lookup
from unstuck.facts.core import F, Fact, Ref, Refused, Want
from unstuck.facts.lookup import Facts


class LookupLog:
    """The look-ups of a judgement, and their results."""

    def __init__(self, facts: Facts) -> None:
        self.of: dict[tuple[type[Fact], Ref], tuple[Fact, ...]] = {}
        self.every: dict[type[Fact], tuple[Fact, ...]] = {}
        self.canon: dict[Ref, Ref] = {}
        self.sure: dict[Ref, tuple[Fact, bool]] = {}
        self.subjects: dict[str, tuple[Ref, ...]] = {}
        # The last Snapshot in which all was the same.
        self._held = facts

    def holds(self, facts: Facts) -> bool:
        """Tell whether every look-up returns the same in these facts."""
        if facts is self._held:
            return True
        same = (
            all((again := facts.of(kind, about)) is found or again == found for (kind, about), found in self.of.items())
            and all(facts.canon(ref) == found for ref, found in self.canon.items())
            and all(facts.sure(fact) is found for fact, found in self.sure.values())
            and all((told := facts.every(kind)) is found or told == found for kind, found in self.every.items())
            and all(facts.subjects(kind) == refs for kind, refs in self.subjects.items())
        )
        if same:
            self._held = facts
        return same


class Reads:
    """`Facts` that looks each thing up once and notes it; it has nothing else that a rule could call."""

    def __init__(self, facts: Facts, noted: LookupLog) -> None:
        self._facts, self._noted = facts, noted
        self.now: datetime = facts.now

    def of(self, kind: type[F], about: Ref) -> tuple[F, ...]:
        """Look up as `Facts` does."""
        found = self._noted.of.get((kind, about))
        if found is None:
            found = self._noted.of[kind, about] = self._facts.of(kind, about)
        return cast("tuple[F, ...]", found)

    def every(self, kind: type[F]) -> tuple[F, ...]:
        """Look up as `Facts` does."""
        found = self._noted.every.get(kind)
        if found is None:
            found = self._noted.every[kind] = self._facts.every(kind)
        return cast("tuple[F, ...]", found)

    def one(self, kind: type[F], about: Ref) -> F | None:
        """Look up as `Facts` does."""
        return lookup.pick_best(self.of(kind, about))

    def canon(self, ref: Ref) -> Ref:
        """Look up as `Facts` does."""
        found = self._noted.canon.get(ref)
        if found is None:
            found = self._noted.canon[ref] = self._facts.canon(ref)
        return found

    def sure(self, fact: Fact) -> bool:
        """Tell as `Facts` does: it depends on whom the fact is about."""
        found = self._noted.sure.get(fact.about)
        if found is None:
            found = self._noted.sure[fact.about] = (fact, self._facts.sure(fact))
        return found[1]

    def subjects(self, kind: str) -> tuple[Ref, ...]:
        """Look up as `Facts` does."""
        found = self._noted.subjects.get(kind)
        if found is None:
            found = self._noted.subjects[kind] = self._facts.subjects(kind)
        return found

    def refused(self, want: Want) -> Refused | None:
        """Look up as `Facts` does."""
        return lookup.find_refusal(want, self)

    def answered(self, want: Want) -> bool:
        """Tell as `Facts` does."""
        return lookup.is_answered(want, self)
