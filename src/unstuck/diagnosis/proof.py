"""The result of judging a proof's facts again."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from unstuck.diagnosis.answer import CauseMatch, Diagnosis
from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record

Left = Literal["proven", "likely", "undecided", "ruled-out"]


@record()
class NeededFact(Record):
    """A fact, and the cause's confidence without it."""

    fact: Fact
    left: Left


@record()
class Verification(Record):
    """The result of judging a proof again. cause, confidence: the claim. told: the first cause that follows
    from the facts, None if there is none.

    holds: whether it equals the claim. needed: the facts without which the confidence is lower. facts: their
    number. at: the Snapshot's time. tool: the version that judges.
    """

    cause: str
    confidence: str
    diagnosis: Diagnosis
    told: CauseMatch | None
    holds: bool
    needed: tuple[NeededFact, ...]
    facts: int
    at: datetime
    tool: str
