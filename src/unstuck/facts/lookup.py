"""The interface of rules: facts by type and subject, and their moment."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from unstuck.facts.core import F, Fact, Ref, Refused, Want


class Facts(Protocol):
    """The interface of rules, stages and signs to the facts of one moment.

    `Snapshot` implements it, and so does the engine's `Reads`, which records the look-ups. Further methods
    for rules are added here, so that both have them.
    """

    @property
    def now(self) -> datetime:
        """The moment, in UTC."""

    def of(self, kind: type[F], about: Ref) -> tuple[F, ...]:
        """Return facts of this type about this subject, in a fixed order."""

    def every(self, kind: type[F]) -> tuple[F, ...]:
        """Return facts of this type about all subjects, in a fixed order."""

    def one(self, kind: type[F], about: Ref) -> F | None:
        """Return the whole fact of this type if there is one, else the first, else None."""

    def canon(self, ref: Ref) -> Ref:
        """Return the fullest Ref known for the same object."""

    def sure(self, fact: Fact) -> bool:
        """Return False if the fact was attributed to its subject by assumption."""

    def subjects(self, kind: str) -> tuple[Ref, ...]:
        """Return the distinct subjects of this kind in all facts, mentioned ones included."""

    def refused(self, want: Want) -> Refused | None:
        """Return why this Want stays open, if it was put and refused."""

    def answered(self, want: Want) -> bool:
        """Tell whether asking again could bring anything new."""


def pick_best(facts: tuple[F, ...]) -> F | None:
    """Return the first fact that is whole, else the first, else None."""
    return next((f for f in facts if f.whole), facts[0] if facts else None)


def find_refusal(want: Want, facts: Facts) -> Refused | None:
    """Return why this Want stays open, if it was put and refused."""
    return next((r for r in facts.of(Refused, want.about) if r.want == want.fact.__name__), None)


def is_answered(want: Want, facts: Facts) -> bool:
    """Tell whether a whole fact answers this Want, or a refusal."""
    return find_refusal(want, facts) is not None or any(f.whole for f in facts.of(want.fact, want.about))
