"""Facts common to all Kubernetes objects, and the contents of lists."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.failures import ErrorWord, Operation


@record(kw_only=True)
class Presence(Fact):
    """Whether the object exists, by the server's answer to a GET request (never by a message about it)."""

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
    """`metadata.finalizers`, in order; a Namespace's `spec.finalizers` are excluded."""

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
    """The writers of this object. A path in `fields` has the form `metadata.finalizers` (two levels)."""

    items: tuple[Touch, ...]


@record(kw_only=True)
class Owners(Fact):
    """`metadata.ownerReferences`; controller: the one with `controller: true`."""

    refs: tuple[Ref, ...]
    controller: Ref | None = None


@record(kw_only=True)
class Labels(Fact):
    """`metadata.labels` as sorted pairs. Of annotations, only those read by a cause are kept."""

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
    """`status.phase`, with the object's own reason and message (as in a rejected or evicted Pod)."""

    phase: str
    reason: str = ""
    message: str = ""


@record(kw_only=True)
class Names(Fact):
    """Every name of a list. about: `Ref("ConfigMapList", within=NAMESPACE)`, `Ref("StorageClassList")`.

    asked_all: for a pasted list, which is never whole: whether the command above it requested all,
    unfiltered. selector: the labels that the command requested (`-l`), "" without any.
    """

    names: tuple[str, ...]
    asked_all: bool = False
    selector: str = ""
    ask: ClassVar[str] = "kubectl get {type} {space}"


@record()
class KeyShape(Record):
    """A value's suspicious form. shape: it ends with a newline after its only line; it begins or ends with
    blanks; it is encoded in base64 once more (a PEM, JSON, printable text); quotation marks enclose it; it is
    empty; it is a URL with one of these characters unescaped in its user and password, which may end that
    part early.
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
    """An address in the value of a key or a variable. port: 0 if missing."""

    key: str
    host: str
    port: int = 0


@record()
class KeyPath(Record):
    """An absolute path in the value of a key or a variable."""

    key: str
    path: str


@record(kw_only=True)
class Keys(Fact):
    """The keys of a ConfigMap or a Secret, never their values beyond an address or a path.

    returning: for a ConfigMap, the keys of scripts whose `#!` line ends with a carriage return; None if the
    values were not read. shapes: values of a suspicious form. addresses: for a ConfigMap, hosts and ports in
    its values. paths: for a ConfigMap, the absolute paths in its values.
    """

    names: tuple[str, ...]
    secret_type: str = ""
    returning: tuple[str, ...] | None = None
    shapes: tuple[KeyShape, ...] = ()
    addresses: tuple[KeyAddress, ...] = ()
    paths: tuple[KeyPath, ...] = ()
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record()
class Event(Record):
    """One Event, with the server's own aggregation. count: at least 1. reporter: component, and node if
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
    """All Events about the subject, by last time. If an empty list is whole, there are no Events (any
    more).
    """

    items: tuple[Event, ...]
    ask: ClassVar[str] = "kubectl get events {space} --field-selector involvedObject.name={name}"


@record(kw_only=True)
class Failure(Fact):
    """One failed call, extracted from a message by `wording`; never whole.

    operation: the attempt. error: the innermost error as one word, `other` if no pattern knows the message.
    docs/en/vocabulary.md
        explains both.
    path, object, key, host, container, volume: the names in the message, if any. message: the innermost
    error, quoted. reporter: the component that wrote it. count, first: the source's own aggregation. pid: of
    the last writer, if the log contains it.
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
    """The parts, the contents or the users of the subject: a workload's Pods, a ReplicaSet's Pods, a
    Namespace's Pods, the Pods that name a ConfigMap.

    kind: the listed kind, which distinguishes lists about one subject ("Pod", "ReplicaSet", "Job").
    """

    kind: str
    refs: tuple[Ref, ...]


@record(kw_only=True)
class Server(Fact):
    """The API server itself: `Ref("Cluster")`. version as `v1.34.4`."""

    version: str
    ask: ClassVar[str] = "kubectl version"
