"""What any Kubernetes object tells about itself, and what a list tells about what is there."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record(kw_only=True)
class Presence(Fact):
    """Whether the object is there, told by the server's answer to a GET of it (never by a message about it)."""

    exists: bool
    created: datetime | None = None
    ask: ClassVar[str] = "kubectl get {object} {space}"


@record(kw_only=True)
class Deletion(Fact):
    """Whether deletion was requested.

    due: `metadata.deletionTimestamp`, which for a Pod already includes the grace period. grace: seconds, as recorded.
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
    """One row of `metadata.managedFields`: who wrote, when, which top-level paths, which subresource."""

    manager: str
    at: datetime | None
    fields: tuple[str, ...] = ()
    subresource: str | None = None


@record(kw_only=True)
class Touches(Fact):
    """Who wrote this object. A path under `fields` reads like `metadata.finalizers` (two levels)."""

    items: tuple[Touch, ...]


@record(kw_only=True)
class Owners(Fact):
    """`metadata.ownerReferences`; controller: the one with `controller: true`."""

    refs: tuple[Ref, ...]
    controller: Ref | None = None


@record(kw_only=True)
class Labels(Fact):
    """`metadata.labels` as sorted pairs. Annotations are kept only by name of those that a cause reads."""

    items: tuple[tuple[str, str], ...]
    annotations: tuple[tuple[str, str], ...] = ()


@record()
class Condition(Record):
    """One row of `status.conditions`. updated: `lastUpdateTime`, which a Deployment has: of its Progressing, when it last got on.

    status: "" where a description says of a readiness gate that it has no condition.
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
        """The row of this type."""
        return next((c for c in self.items if c.type == type_), None)


@record(kw_only=True)
class Phase(Fact):
    """`status.phase`, with the object's own reason and message (a rejected or evicted Pod has them)."""

    phase: str
    reason: str = ""
    message: str = ""


@record(kw_only=True)
class Names(Fact):
    """Every name of a list. about: `Ref("ConfigMapList", within=NAMESPACE)`, `Ref("StorageClassList")`."""

    names: tuple[str, ...]
    ask: ClassVar[str] = "kubectl get {type} {space}"


@record(kw_only=True)
class Keys(Fact):
    """The keys of a ConfigMap or a Secret, never their values."""

    names: tuple[str, ...]
    secret_type: str = ""
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"


@record()
class Event(Record):
    """One Event, folded as the server folded it. count: at least 1. reporter: component, and node where given."""

    reason: str
    message: str
    warning: bool
    count: int = 1
    first: datetime | None = None
    last: datetime | None = None
    reporter: str = ""


@record(kw_only=True)
class Events(Fact):
    """All Events about the subject, by last time. An empty list that is whole says that there are none (any more)."""

    items: tuple[Event, ...]
    ask: ClassVar[str] = "kubectl get events {space} --field-selector involvedObject.name={name}"


@record(kw_only=True)
class Failure(Fact):
    """One failing call, read once out of a message by `wording`; never whole.

    operation: what was tried: `evict` (`kubectl drain`), `volume-set-up`, `volume-tear-down`, `volume-attach`, `volume-detach`,
        `volume-provision`, `device-unmount`, `subpath-clean`, `image-pull`, `sandbox-image-pull`, `image-inspect`, `pull-secret-read`,
        `container-create`, `container-start`, `container-stop`,
        `container-remove`, `exec`, `rootfs-remove`, `snapshot-remove`,
        `sandbox-create`, `sandbox-stop`, `network-set-up`, `network-tear-down`, `network-ready`, `netns-remove`, `cgroup-remove`,
        `pod-directory-remove` (`key`: the Pod's uid), `container-inspect` (`key`: the container's id), `status-read`, `status-update`,
        `status-delete`, `resources-prepare`, `resources-unprepare`, `probe-liveness`, `probe-readiness`, `probe-startup`,
        `pre-stop`, `post-start`, `node-ready`, `node-report`, `runtime-ready`, `runtime-start`, `process-start`, `log-write`,
        `schedule`, `sync`, `pod-create`, `program-run` (a container's own program).
    error: the innermost error as one word: an errno (`EPERM`, `EBUSY`, `ENOENT`, `ENOSPC`), or
        objects: `not-found`, `key-missing`, `not-registered` (the kubelet does not watch it yet), `forbidden`, `admission-denied`,
        `webhook-unreachable`, `identity-mismatch` (a Node's write of another Node);
        images: `connection-refused`, `no-such-host`, `timeout`, `certificate-untrusted`, `plain-http`, `server-error` (5xx),
        `no-credentials` (the registry wants some, the runtime had none), `credentials-rejected`, `unauthorized` (one of these two),
        `forbidden`, `not-found-or-denied`, `rate-limited`, `pull-qps` (the kubelet's own limit), `platform-missing`, `name-invalid`,
        `never-pulled`, `blob-mismatch` (not the size or digest that was promised), `layer-unreadable`, `cut-short`, `layer-file-missing`;
        processes: `fatal` (its own last word),
            `exec-not-found`, `not-executable`, `exec-format`, `below-minimum`, `init-killed`, `container-stopped`, `exit-126`,
        `run-as-root`, `survives-kill`, `init-still-running`;
        sandboxes: `cni-not-ready`, `cni-version-refused`, `plugin-missing` (in `key`), `addresses-exhausted`, `address-mismatch`,
            `name-conflict`, `handler-missing`,
            `agent-down` (the network's, in `key`), `service-unreachable`, `apiserver-unreachable` (by a Pod: operation `apiserver-reach`);
        runtimes: `runtime-gone` (nobody at its socket), `start-hangs` (dockerd reads its containers back for minutes),
            `version-mismatch`, `metadata-corrupt`, `rlimit`, `controller-missing`, `watches-exhausted`, `instances-exhausted` (inotify's),
            `selinux-denied`, `apparmor-unsupported`, `mount-not-shared`, `subpath-gone`, `subpath-not-prepared`;
        volumes: `multi-attach`, `still-attached` (elsewhere), `attachment-deleting`, `detach-unfinished` (at the storage), `used-elsewhere`
            (an image that is mapped), `attacher-silent`, `claim-unbound`, `driver-not-registered`,
            `host-path-mismatch` (what it should be in `key`),
            `driver-not-answering` (a DRA driver's socket), `data-file-missing`,
            `helper-missing`, `fs-unknown`, `features-unknown` (the kernel's file system), `option-invalid`, `protocol-unsupported`,
            `fs-corrupted`, `access-denied`, `ownership-refused`, `device-claimed`, `backend-lost`, `attach-limit`,
            `mounted-elsewhere` (a mount in another mount namespace only),
            `mount-refused`, `call-failed` (a CSI or DRA driver's own error, its gRPC code in `key`); probes: `http-status`, `killed` (the
        container is restarted for it), `failed`;
        evictions: `budget-blocked` (`object`: the Pod); Pods' directories: `volumes-left`, `volumes-mounted`;
        waiters: `deadline-exceeded`; else `not-ready`, or `other` where the words are none that are known.
    path, object, key, host, container, volume: what the message names, where it does. message: the innermost error, quoted.
    reporter: the component whose words these are. count, first: repetition as the source folded it. pid: of the process that said it last,
        where its log tells.
    """

    operation: str
    error: str
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
    """What the subject is made of or holds: a workload's Pods, a ReplicaSet's Pods, a Namespace's Pods.

    kind: the kind listed, so that several lists about one subject stay apart ("Pod", "ReplicaSet", "Job").
    """

    kind: str
    refs: tuple[Ref, ...]


ServerState = Literal["ok", "denied", "unreachable", "timeout"]


@record(kw_only=True)
class Server(Fact):
    """The API server itself: `Ref("Cluster")`. version as `v1.34.4`."""

    version: str
    ask: ClassVar[str] = "kubectl version"
