"""What helps under a condition only: a remedy is told where facts at hand say that it fits, else nothing but the next look is."""

from __future__ import annotations

from unstuck.diagnosis.verdict import Step
from unstuck.facts.record import Record, record


@record()
class Remedy(Record):
    """A step that helps in one case. when: whether this is it, by facts at hand; None where that is not known."""

    when: bool | None
    step: Step


def fitting(*steps: Step | Remedy) -> tuple[Step, ...]:
    """Return the steps in order, leaving out each remedy that is not known to fit."""
    return tuple(s.step if isinstance(s, Remedy) else s for s in steps if isinstance(s, Step) or s.when)
