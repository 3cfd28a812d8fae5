"""The facts that a rule receives. Every look-up is logged: a judgement stays valid as long as all of them
return the same.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from unstuck.facts import lookup
from unstuck.facts.core import F, Fact, Ref, Refused, Want
from unstuck.facts.snapshot import Snapshot


class _Subject:
    """The look-ups about one subject. stamp: from the Snapshot. sure: a fact about the subject, and whether
    it is sure.
    """

    __slots__ = ("canon", "of", "stamp", "sure")

    def __init__(self, about: Ref, facts: Snapshot) -> None:
        self.canon = facts.canon(about)
        self.stamp = facts.stamp(self.canon)
        self.of: dict[type[Fact], tuple[Any, ...]] = {}
        self.sure: tuple[Fact, bool] | None = None

    def holds(self, about: Ref, facts: Snapshot) -> bool:
        """Tell whether every look-up returns the same in these facts."""
        canon = facts.canon(about)
        stamp = facts.stamp(canon)
        if stamp is self.stamp and canon == self.canon:
            return True
        for kind, found in self.of.items():
            again = facts.of_canon(kind, canon)
            if again is not found and again != found:
                return False
        if self.sure and facts.sure(self.sure[0]) is not self.sure[1]:
            return False
        self.canon, self.stamp = canon, stamp
        return True


class LookupLog:
    """The look-ups of a judgement, and their results."""

    def __init__(self, facts: Snapshot) -> None:
        self.about: dict[Ref, _Subject] = {}
        self.every: dict[type[Fact], tuple[Any, ...]] = {}
        self.canon: dict[Ref, Ref] = {}
        self.subjects: dict[str, tuple[Ref, ...]] = {}
        # The last Snapshot in which every look-up gave the same.
        self._held = facts

    @property
    def kinds(self) -> frozenset[type[Fact]]:
        """The types of facts that were looked up."""
        return frozenset(self.every).union(*(subject.of for subject in self.about.values()))

    def holds(self, facts: Snapshot) -> bool:
        """Tell whether every look-up returns the same in these facts."""
        if facts is self._held:
            return True
        for about, subject in self.about.items():
            if not subject.holds(about, facts):
                return False
        for ref, canon in self.canon.items():
            if facts.canon(ref) != canon:
                return False
        for kind, found in self.every.items():
            again = facts.every(kind)
            if again is not found and again != found:
                return False
        for name, refs in self.subjects.items():
            if facts.subjects(name) != refs:
                return False
        self._held = facts
        return True


class Untouched:
    """The look-ups of several judgements for the same facts, without the results: as long as nothing was
    added about any of the subjects, all of them return the same.
    """

    def __init__(self, facts: Snapshot) -> None:
        self._facts = facts
        self._about: dict[Ref, tuple[Ref, object]] = {}
        self._logs: list[LookupLog] = []

    def add(self, log: LookupLog) -> None:
        """Add the look-ups of a judgement that holds for these facts."""
        for about, subject in log.about.items():
            if about not in self._about:
                self._about[about] = (subject.canon, subject.stamp)
        if log.every or log.canon or log.subjects:
            self._logs.append(log)

    def holds(self, facts: Snapshot) -> bool:
        """Tell whether every look-up is known to return the same in these facts."""
        if facts is self._facts:
            return True
        for about, (canon, stamp) in self._about.items():
            again = facts.canon(about)
            if facts.stamp(again) is not stamp or again != canon:
                return False
        for log in self._logs:
            if not log.holds(facts):
                return False
        self._facts = facts
        return True


class Reads:
    """`Facts` that looks each thing up once and notes it; it has nothing else that a rule could call."""

    def __init__(self, facts: Snapshot, noted: LookupLog) -> None:
        self._facts, self._noted = facts, noted
        # The last subject: most look-ups are about the same subject as the previous one.
        self._about: Ref | None = None
        self._subject: _Subject
        self.now: datetime = facts.now

    def of(self, kind: type[F], about: Ref) -> tuple[F, ...]:
        """Look up as `Facts` does."""
        if about is not self._about:
            self._about, self._subject = about, self._noted.about.get(about) or self._note(about)
        subject = self._subject
        found = subject.of.get(kind)
        if found is None:
            found = subject.of[kind] = self._facts.of_canon(kind, subject.canon)
        return found

    def _note(self, about: Ref) -> _Subject:
        subject = self._noted.about[about] = _Subject(about, self._facts)
        return subject

    def every(self, kind: type[F]) -> tuple[F, ...]:
        """Look up as `Facts` does."""
        found = self._noted.every.get(kind)
        if found is None:
            found = self._noted.every[kind] = self._facts.every(kind)
        return found

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
        """Tell as `Facts` does: it depends on the fact's subject."""
        about = fact.about
        subject = self._subject if about is self._about else self._noted.about.get(about) or self._note(about)
        if subject.sure is None:
            subject.sure = (fact, self._facts.sure(fact))
        return subject.sure[1]

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
