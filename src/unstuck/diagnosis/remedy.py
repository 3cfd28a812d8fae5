"""Remedies with a condition: one is shown if the facts say that it fits; otherwise only the next look is."""

from __future__ import annotations

from unstuck.diagnosis.verdict import Step
from unstuck.facts.record import Record, record


@record()
class Remedy(Record):
    """A step that helps in one case. when: whether the facts show this case; None if unknown."""

    when: bool | None
    step: Step


def fitting(*steps: Step | Remedy) -> tuple[Step, ...]:
    """Return the steps in order, leaving out each remedy that is not known to fit."""
    return tuple(s.step if isinstance(s, Remedy) else s for s in steps if isinstance(s, Step) or s.when)
