"""Remedies with a condition: a remedy is shown if the facts show that it fits; otherwise only the next look
is.
"""

from __future__ import annotations

from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.record import Record, record

say = Messages(__name__)


@record()
class Remedy(Record):
    """A step that helps in one case. when: whether the facts show this case; None if unknown."""

    when: bool | None
    step: Step


@record()
class Half(Record):
    """One half of an "or". when: whether the facts allow it; None if unknown. says: the half, without the
    "or".
    """

    when: bool | None
    says: Text


def choose(*halves: Half) -> Text:
    """Return the halves that nothing excludes, joined by "or"; empty if all are excluded."""
    told = NO_TEXT
    for half in halves:
        if half.when is not False:
            told = say("{told}, or {more}", told=told, more=half.says) if told.en else half.says
    return told


def fitting(*steps: Step | Remedy) -> tuple[Step, ...]:
    """Return the steps in order, leaving out each remedy that is not known to fit."""
    return tuple(s.step if isinstance(s, Remedy) else s for s in steps if isinstance(s, Step) or s.when)
