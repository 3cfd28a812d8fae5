"""The references of an object to separate objects."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.placing_terms import Requirement
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class Reference(Record):
    """One field that names another object. field: below the object (`spec.scaleTargetRef`).

    required: whether by the API's semantics the object does not work without its target; False also for a
    field that names an object yet to be created. needed: False if a message or its status names the target,
    which need not exist. serves: whether it is only as healthy as its target, so that an unhealthy target is
    a fault of its own. port: of a Service, the port used, by name or number as written; "" if none is named.
    beside: other values beside the name, such as (`major`, `17`). hosts: for a Secret whose certificate is
    presented to clients, the host names; else None. api: its apiVersion as written, "" if there is none.
    """

    field: str
    to: Ref
    required: bool = True
    serves: bool = False
    port: str = ""
    beside: tuple[tuple[str, str], ...] = ()
    hosts: tuple[str, ...] | None = None
    needed: bool = True
    api: str = ""


@record(kw_only=True)
class References(Fact):
    """The objects that an object names, field by field, for kinds without other facts about references;
    absent if it names none.

    Not whole for an unknown type, which may name others in fields of its own.
    """

    items: tuple[Reference, ...]
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record(kw_only=True)
class Makers(Fact):
    """The objects whose purpose is to create it (an ExternalSecret, a Certificate). about: a Secret or
    ConfigMap.
    """

    refs: tuple[Ref, ...]
    ask: ClassVar[str] = "kubectl api-resources --verbs=list --namespaced -o name"


@record(kw_only=True)
class Owned(Fact):
    """A CustomResource's created objects: those in its Namespace that name it as an owner, of its API's
    groups or of kinds with Pods.

    beside: unhealthy objects of the same group, by a label of their project (`strimzi.io/cluster=orders`),
    and the group's main object, if it has the label's value as its name.
    """

    refs: tuple[Ref, ...]
    beside: tuple[Ref, ...] = ()
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record()
class DeadSelector(Record):
    """A selector within an object's rules that matches nothing. of: the selected kind. others: similar labels
    of existing objects, the nearest first.

    alone: whether no other selector in the object replaces it, so that its whole rule has no effect.
    """

    field: str
    of: str
    selector: str
    others: tuple[str, ...] = ()
    alone: bool = False


@record(kw_only=True)
class Selects(Fact):
    """The Pods of its Namespace, or the Nodes, that an object's selector matches.

    of: their kind. selector: in the form of `kubectl -l`, alternatives separated by ` or `; "" for one that
    selects all. names: the first few. templates: if it matches none, the workloads whose Pods it would match.
    others: the unmatched objects' values for the selector's labels, such as `app=web`. lost: port names
    requested by a monitor that no matched object has, or, if none matches, none of the nearest. ports: the
    names of their ports. elsewhere: the objects in Namespaces at which a monitor does not look that
    have the labels. dead: selectors within its rules that match nothing.
    """

    of: str
    selector: str
    count: int
    names: tuple[str, ...] = ()
    templates: tuple[Ref, ...] = ()
    others: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()
    dead: tuple[DeadSelector, ...] = ()
    elsewhere: tuple[Ref, ...] = ()
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record(kw_only=True)
class ServedVersions(Fact):
    """The versions in which the API server serves a kind: `Ref("ServedKind", None, "Deployment")`; `apps/v1`,
    `v1`, the preferred first.

    Whole if every group answered.
    """

    versions: tuple[str, ...]
    ask: ClassVar[str] = "kubectl api-resources"


@record()
class Section(Record):
    """One named part of an object to which others attach. port: its number, None without one.

    routes: the Namespaces from which a listener accepts routes: `All`, `Same` (its own) or `Selector`, then
    those whose labels meet `asked`; "" if not read.
    """

    name: str
    port: int | None = None
    routes: str = ""
    asked: tuple[Requirement, ...] = ()


@record(kw_only=True)
class Sections(Fact):
    """The listeners of a Gateway, to which routes attach by name or port."""

    items: tuple[Section, ...]
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record()
class Mark(Record):
    """An annotation or label of an object that another program than Kubernetes reads."""

    of: Ref
    key: str
    value: str


@record(kw_only=True)
class Namesakes(Fact):
    """Objects that resemble a missing one. about: the missing object.

    refs: objects of its kind and name in other Namespaces, or of its cluster-wide or namespaced counterpart
    (`Issuer`, `ClusterIssuer`). near: names of its kind in its own Namespace. marks: the annotations and
    labels of such a Secret or ConfigMap elsewhere that other programs read.
    """

    refs: tuple[Ref, ...] = ()
    near: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    ask: ClassVar[str] = "kubectl get {type} -A"


@record()
class LabelSelector(Record):
    """One selector of an object for objects of another kind. of: its object. field: below the object.
    selector: in the form of `kubectl -l`.

    takes: whether it selects the object in question. spaces: its selector of Namespaces if that excludes the
    object, "own" for its own Namespace only; "" otherwise.
    """

    of: Ref
    field: str
    selector: str
    takes: bool
    spaces: str = ""


@record(kw_only=True)
class Selectors(Fact):
    """The selectors in its API group for objects of its kind, such as a Prometheus' for ServiceMonitors.
    about: the selectable object.

    Whole if every object of the group that may have one was listed. The fact does not exist for kinds without
    selectors.
    """

    items: tuple[LabelSelector, ...]
    ask: ClassVar[str] = "kubectl get {object} {space} --show-labels"
