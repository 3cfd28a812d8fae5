"""Until when an object is good, and how often it acts."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record


@record()
class End(Record):
    """A field of its status with the time until which it is good."""

    field: str
    at: datetime


@record(kw_only=True)
class Due(Fact):
    """The times in an object by which something is due. ends: until when it is good (`status.notAfter`).

    Of a CronJob: its schedule, when it last started a Job, and the longest time between two starts in
    seconds, None if it is not known.
    """

    ends: tuple[End, ...] = ()
    schedule: str = ""
    last: datetime | None = None
    period: int | None = None
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"
