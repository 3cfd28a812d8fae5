"""Objects in control of a stopped object: they scale, switch or template it."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class Decider(Record):
    """One object in control of another one.

    field: the decider's field with the target's name (`spec.scaleTargetRef`), or the target's annotation with
    the decider's name (`metadata.annotations[scaled-by]`). replicas: the number that it sets; None if
    unknown.
    """

    ref: Ref
    field: str
    replicas: int | None = None


@record(kw_only=True)
class Deciders(Fact):
    """The objects that may stop the subject or start it again. about: the controlled object.

    They are the objects named in its annotations, objects that target it, and CronJobs of its Namespace with
    its name in their command; for a claim, the StatefulSet of its template. Whole if every list was complete.
    """

    items: tuple[Decider, ...]
    ask: ClassVar[str] = "kubectl get hpa,cronjobs {space} -o yaml"
