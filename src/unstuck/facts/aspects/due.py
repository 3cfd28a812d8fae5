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

    Of a CronJob: its schedule with its time zone (`spec.timeZone`, or that in the schedule), when it last
    started a Job, and the first times at which it is due after that, or after it was made or changed.
    legible: whether the schedule can be read; one that can and has no start is never due. exact: whether its
    time zone is known here. deadline: `startingDeadlineSeconds`. active: how many Jobs run. forbids: its
    concurrencyPolicy is Forbid.
    """

    ends: tuple[End, ...] = ()
    schedule: str = ""
    zone: str = ""
    last: datetime | None = None
    starts: tuple[datetime, ...] = ()
    legible: bool = True
    exact: bool = True
    deadline: int | None = None
    active: int = 0
    forbids: bool = False
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"
