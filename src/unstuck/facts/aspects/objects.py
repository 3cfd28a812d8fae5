"""Facts that any Kubernetes object reports about itself, and the contents of lists."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.failures import ErrorWord, Operation


@record(kw_only=True)
class Presence(Fact):
    """Whether the object exists, by the server's answer to a GET of it (never by a message about it)."""

    exists: bool
    created: datetime | None = None
    ask: ClassVar[str] = "kubectl get {object} {space}"


@record(kw_only=True)
class Deletion(Fact):
    """Whether deletion was requested.

    due: `metadata.deletionTimestamp`, which for a Pod already includes the grace period. grace: seconds, as
    recorded.
    """

    requested: bool
    due: datetime | None = None
    grace: int | None = None
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record(kw_only=True)
class Finalizers(Fact):
    """`metadata.finalizers`, in order; for a Namespace `spec.finalizers` are not among them."""

    names: tuple[str, ...]
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record()
class Touch(Record):
    """One row of `metadata.managedFields`: the writer, the time, the top-level paths, the subresource."""

    manager: str
    at: datetime | None
    fields: tuple[str, ...] = ()
    subresource: str | None = None


@record(kw_only=True)
class Touches(Fact):
    """The writers of this object. A path under `fields` reads like `metadata.finalizers` (two levels)."""

    items: tuple[Touch, ...]


@record(kw_only=True)
class Owners(Fact):
    """`metadata.ownerReferences`; controller: the one with `controller: true`."""

    refs: tuple[Ref, ...]
    controller: Ref | None = None


@record(kw_only=True)
class Labels(Fact):
    """`metadata.labels` as sorted pairs. Of annotations only the ones that a cause reads are kept."""

    items: tuple[tuple[str, str], ...]
    annotations: tuple[tuple[str, str], ...] = ()


@record()
class Condition(Record):
    """One row of `status.conditions`. updated: `lastUpdateTime`, which a Deployment has: for its Progressing,
    its last progress; for a Node `lastHeartbeatTime`, its kubelet's last successful report.

    status: "" if a description reports a readiness gate without a condition.
    """

    type: str
    status: str
    reason: str = ""
    message: str = ""
    since: datetime | None = None
    updated: datetime | None = None


@record(kw_only=True)
class Conditions(Fact):
    """`status.conditions` of any object."""

    items: tuple[Condition, ...]
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"

    def get(self, type_: str) -> Condition | None:
        """Return the row of this type."""
        return next((c for c in self.items if c.type == type_), None)


@record(kw_only=True)
class Phase(Fact):
    """`status.phase`, with the object's own reason and message (a rejected or evicted Pod has them)."""

    phase: str
    reason: str = ""
    message: str = ""


@record(kw_only=True)
class Names(Fact):
    """Every name of a list. about: `Ref("ConfigMapList", within=NAMESPACE)`, `Ref("StorageClassList")`.

    asked_all: of a pasted list, which is never whole: the command above it asked for all, and filtered none.
    """

    names: tuple[str, ...]
    asked_all: bool = False
    ask: ClassVar[str] = "kubectl get {type} {space}"


@record()
class KeyShape(Record):
    """The form of a value that is rarely intended. shape: it ends with a newline after its only line; blanks
    stand at an end; it is base64 once more (of a PEM, of JSON, of printable text); quotation marks enclose
    it; it is empty; it is a URL, and one of these characters ends the part with user and password before its
    end, or stands in it unescaped.
    """

    key: str
    shape: Literal[
        "newline",
        "blanks",
        "base64",
        "quoted",
        "empty",
        "url-#",
        "url-/",
        "url-?",
        "url-@",
        "url-%",
        "url-blank",
    ]


@record()
class KeyAddress(Record):
    """An address in the value of a key or a variable. port: 0 if the value has none."""

    key: str
    host: str
    port: int = 0


@record(kw_only=True)
class Keys(Fact):
    """The keys of a ConfigMap or a Secret, never their values beyond an address.

    returning: of a ConfigMap the keys with a script whose first line, `#!` and the interpreter, ends with a
    carriage return; None if the values were not looked at. shapes: what is odd of a value's form. addresses:
    of a ConfigMap, hosts and ports in its values.
    """

    names: tuple[str, ...]
    secret_type: str = ""
    returning: tuple[str, ...] | None = None
    shapes: tuple[KeyShape, ...] = ()
    addresses: tuple[KeyAddress, ...] = ()
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record()
class Event(Record):
    """One Event, folded as the server folded it. count: at least 1. reporter: component, and node where
    given.
    """

    reason: str
    message: str
    warning: bool
    count: int = 1
    first: datetime | None = None
    last: datetime | None = None
    reporter: str = ""


@record(kw_only=True)
class Events(Fact):
    """All Events about the subject, by last time. An empty list that is whole says that there are none
    (any more).
    """

    items: tuple[Event, ...]
    ask: ClassVar[str] = "kubectl get events {space} --field-selector involvedObject.name={name}"


@record(kw_only=True)
class Failure(Fact):
    """One failing call, read once out of a message by `wording`; never whole.

    operation: the attempt. error: the innermost error as one word, `other` if no pattern knows the message.
    docs/en/vocabulary.md
        explains both.
    path, object, key, host, container, volume: named in the message, if at all. message: the innermost error,
    quoted. reporter: the component that wrote it. count, first: repetition as the source folded it. pid: of
    the process that wrote it last,
        if its log says.
    """

    operation: Operation
    error: ErrorWord
    path: str | None = None
    object: Ref | None = None
    key: str | None = None
    host: str | None = None
    container: str | None = None
    volume: str | None = None
    message: str = ""
    reporter: str = ""
    count: int = 1
    first: datetime | None = None
    pid: int | None = None


@record(kw_only=True)
class Below(Fact):
    """The parts or contents of the subject: a workload's Pods, a ReplicaSet's Pods, a Namespace's Pods.

    kind: the kind listed, so that several lists about one subject stay apart ("Pod", "ReplicaSet", "Job").
    """

    kind: str
    refs: tuple[Ref, ...]


@record(kw_only=True)
class Server(Fact):
    """The API server itself: `Ref("Cluster")`. version as `v1.34.4`."""

    version: str
    ask: ClassVar[str] = "kubectl version"
