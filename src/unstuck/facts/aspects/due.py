"""The expiry times of an object, and its schedule."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record


@record()
class End(Record):
    """An expiry time in a field of the status."""

    field: str
    at: datetime


@record()
class Lapse(Record):
    """A time of the status after which the object should have acted again. field, at: its last action, or the
    next one that it planned. due: when the next is overdue. by, value: the field with its own interval or
    schedule, "" for a planned time.
    """

    field: str
    at: datetime
    due: datetime
    by: str = ""
    value: str = ""


@record(kw_only=True)
class Due(Fact):
    """The due times of an object. ends: its expiry times (`status.notAfter`). lapses: of an object other than
    a CronJob, by when it should act again.

    For a CronJob: its schedule with the time zone (`spec.timeZone`, or the zone in the schedule), the time of
    its last Job, and the next due times after that, or after its creation or change. legible: whether the
    schedule can be parsed; a legible schedule without a due time never starts a Job. exact: whether its time
    zone is known here. active: the number of running Jobs. forbids: whether its concurrencyPolicy is Forbid.
    replaces: whether it is Replace. succeeded: the time of its last success (`status.lastSuccessfulTime`),
    else of its creation.
    """

    ends: tuple[End, ...] = ()
    lapses: tuple[Lapse, ...] = ()
    schedule: str = ""
    zone: str = ""
    last: datetime | None = None
    starts: tuple[datetime, ...] = ()
    legible: bool = True
    exact: bool = True
    active: int = 0
    forbids: bool = False
    replaces: bool = False
    succeeded: datetime | None = None
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"
