"""An object's own reports beside its conditions, and the fields that can stop it on purpose."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.aspects.cluster import Candidate
from unstuck.facts.aspects.objects import Condition
from unstuck.facts.core import Fact, Ref
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
    """A condition for a part of an object. part: its place (`status.listeners[http]`)."""

    part: str
    condition: Condition


@record()
class Setting(Record):
    """One field, below the object or as `metadata.annotations[NAME]`, and its value in YAML's form."""

    field: str
    value: str


@record(kw_only=True)
class Reported(Fact):
    """The status' own words, and the generation of the spec that they are about.

    generation: of the spec. observed: the generation seen by its controller; None if unknown. errors: fields
    that exist only after a failure (`status.failureMessage`). rows: from lists in the status, the entries
    with a word and a message about one item, which is named in the field
    (`status.operationState.syncResult.resources[Deployment shop/web]`). doubts: numbers below what is wanted
    (`status.readyReplicas`, `1 of 3`), flags that are false, and words that name a failure. unwritten:
    whether it has a spec, but no status or an empty one: its controller has not handled it, or its type never
    gets a status. bounds: the set fields of its spec that limit its own time or attempts
    (`spec.activeDeadlineSeconds`). said: the fields of its spec whose values the sentences of its status
    quote.
    """

    generation: int | None = None
    observed: int | None = None
    words: tuple[StatusWord, ...] = ()
    errors: tuple[StatusWord, ...] = ()
    parts: tuple[PartCondition, ...] = ()
    rows: tuple[StatusWord, ...] = ()
    doubts: tuple[StatusWord, ...] = ()
    unwritten: bool = False
    bounds: tuple[Setting, ...] = ()
    said: tuple[Setting, ...] = ()
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record()
class Unlike(Record):
    """A field in which an object differs from all others of its type that have a status. field: below the
    object. own: its value, "" if it has none. theirs: a few values of the others. of: one of them.
    """

    field: str
    own: str
    theirs: tuple[str, ...]
    of: Ref


@record(kw_only=True)
class TypeStatus(Fact):
    """Whether objects of this type get a status at all, and the workloads that may write it. about: the
    object.

    offered: whether its type has a status for a controller to write. others: the number of further objects of
    the type; written: the number of those with a status. controllers: workloads linked to the type as writers
    of its objects' status, or by name. unlike: its differences from objects with a status.

    For a Job with another controller in `spec.managedBy`: the workloads linked to that name, and whether
    kinds of its API group are served. grouped: None if it names no group, or not every group was seen.
    """

    offered: bool
    others: int
    written: int
    controllers: tuple[Candidate, ...] = ()
    unlike: tuple[Unlike, ...] = ()
    grouped: bool | None = None
    ask: ClassVar[str] = "kubectl get {type} -A -o yaml; kubectl get deploy,sts,ds -A"


@record(kw_only=True)
class Remarks(Fact):
    """The annotations with people's explanations of an object's state (`acme.example/note`, `change`,
    `reason`), shortened.
    """

    items: tuple[Setting, ...]
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record(kw_only=True)
class Switches(Fact):
    """The set fields and annotations that can stop such objects on purpose (`spec.suspend`), with any
    value.
    """

    items: tuple[Setting, ...]
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record()
class ControllerLine(Record):
    """One line of a controller's log that names an object. by: its workload."""

    by: Ref
    line: str


@record(kw_only=True)
class ControllerLines(Fact):
    """The lines that report trouble with the subject, secrets masked, in the logs of the workloads that work
    on its type or should clear its finalizers.

    Never whole: a log keeps only its last lines.
    """

    items: tuple[ControllerLine, ...]
    ask: ClassVar[str] = "kubectl get deploy,sts,ds -A"
