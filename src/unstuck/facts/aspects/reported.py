"""An object's own reports beside its conditions, and the fields that may have stopped it on purpose."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.aspects.cluster import Candidate
from unstuck.facts.aspects.objects import Condition
from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record


@record()
class StatusWord(Record):
    """One field with its state. field: below the object (`status.health.status`). message: the text beside
    it.
    """

    field: str
    value: str
    message: str = ""
    since: datetime | None = None


@record()
class PartCondition(Record):
    """A condition for a part of it. part: which (`status.listeners[http]`)."""

    part: str
    condition: Condition


@record()
class Setting(Record):
    """One field, below the object or as `metadata.annotations[NAME]`, and its value as YAML writes it."""

    field: str
    value: str


@record(kw_only=True)
class Reported(Fact):
    """The status' own words, and whether they are of the newest spec.

    generation: of the spec. observed: the one that its controller has looked at; None if it does not say.
    errors: fields that exist only after a failure (`status.failureMessage`). rows: of each list in the status
    the entries with a word and a message about one thing, which the field names
    (`status.operationState.syncResult.resources[Deployment shop/web]`). unwritten: it has a spec, but no
    status or an empty one: its controller has not handled it, or its type never gets a status. bounds: the
    fields of its spec by which it bounds its own time or tries (`spec.activeDeadlineSeconds`), as they are
    set.
    """

    generation: int | None = None
    observed: int | None = None
    words: tuple[StatusWord, ...] = ()
    errors: tuple[StatusWord, ...] = ()
    parts: tuple[PartCondition, ...] = ()
    rows: tuple[StatusWord, ...] = ()
    unwritten: bool = False
    bounds: tuple[Setting, ...] = ()
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record(kw_only=True)
class TypeStatus(Fact):
    """Whether objects of this one's type get a status at all, and the workloads that may write it. about: the
    object.

    offered: its type has a status for a controller to write. others: further objects of the type that were
    seen; written: of these the ones with a status. controllers: workloads that are tied to the type as
    writers of its objects' status, or by their names.

    Of a Job whose `spec.managedBy` names another controller: the workloads tied to that name, and whether
    kinds of its API group are served. grouped: None where it names no group, or not every group was seen.
    """

    offered: bool
    others: int
    written: int
    controllers: tuple[Candidate, ...] = ()
    grouped: bool | None = None
    ask: ClassVar[str] = "kubectl get {type} -A -o yaml; kubectl get deploy,sts,ds -A"


@record(kw_only=True)
class Remarks(Fact):
    """The annotations in which people explain an object's state (`acme.example/note`, `change`, `reason`),
    shortened.
    """

    items: tuple[Setting, ...]
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record(kw_only=True)
class Switches(Fact):
    """The fields and annotations by which such objects are stopped on purpose (`spec.suspend`), as they
    are set, whatever their value.
    """

    items: tuple[Setting, ...]
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"
