"""Objects that decide about an object that was stopped: those that scale, switch or template it."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class Decider(Record):
    """One object that decides about another one.

    field: of the decider, where that names the other one (`spec.scaleTargetRef`), or of the other one's
    annotation that names it (`metadata.annotations[scaled-by]`). replicas: the number that it sets; None if
    it does not tell.
    """

    ref: Ref
    field: str
    replicas: int | None = None


@record(kw_only=True)
class Deciders(Fact):
    """The objects that are there to stop the subject or to start it again. about: what they decide about.

    Those that its own annotations name, that target it, and CronJobs of its Namespace whose command names it;
    of a claim the StatefulSet whose template it was made by. Whole if every list was complete.
    """

    items: tuple[Decider, ...]
    ask: ClassVar[str] = "kubectl get hpa,cronjobs {space} -o yaml"
