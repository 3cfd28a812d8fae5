"""What an object names that is not a part of it."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class Reference(Record):
    """One field that names another object. field: below the object (`spec.scaleTargetRef`).

    required: by the API's semantics it does not work without its target; else it may, or the field names what is yet to be made.
    needed: False where words or its status name the target, which need not be there.
    serves: it does no better than its target does, so that a target that is not well is a fault of its own.
    port: of a Service, which of its ports is meant, by name or number as written; "" where none is named. beside: what else stands beside
    the name, such as (`major`, `17`). hosts: of a Secret whose certificate is shown to clients, for which host names; else None.
    """

    field: str
    to: Ref
    required: bool = True
    serves: bool = False
    port: str = ""
    beside: tuple[tuple[str, str], ...] = ()
    hosts: tuple[str, ...] | None = None
    needed: bool = True


@record(kw_only=True)
class References(Fact):
    """The objects that it names, field by field, of kinds whose references no other fact tells; there is none where it names none.

    Not whole of a type that nobody here knows, which may name others in fields of its own.
    """

    items: tuple[Reference, ...]
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record(kw_only=True)
class Makers(Fact):
    """The objects that are there to have it written (an ExternalSecret, a Certificate). about: a Secret or ConfigMap."""

    refs: tuple[Ref, ...]
    ask: ClassVar[str] = "kubectl api-resources --verbs=list --namespaced -o name"


@record(kw_only=True)
class Owned(Fact):
    """What a CustomResource has had made: objects of its Namespace that name it as an owner, of its API's groups or of kinds with Pods."""

    refs: tuple[Ref, ...]
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record(kw_only=True)
class Selects(Fact):
    """The Pods of its Namespace, or the Nodes, that an object's selector matches.

    of: their kind. selector: as `kubectl -l` has it, alternatives divided by ` or `; "" of one that takes all. names: the first of them.
    templates: where it matches none, the workloads whose Pods it would match. others: what those that it does not match have for the
    labels that it asks for, such as `app=web`.
    """

    of: str
    selector: str
    count: int
    names: tuple[str, ...] = ()
    templates: tuple[Ref, ...] = ()
    others: tuple[str, ...] = ()
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"
