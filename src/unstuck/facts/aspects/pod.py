"""The aspects of a Pod's object."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.programs import ProgramError

ContainerKind = Literal["init", "sidecar", "main", "ephemeral"]


@record(kw_only=True)
class Placement(Fact):
    """`spec.nodeName` as a Node, None while not bound; and the requested scheduler, "" if unknown."""

    node: Ref | None
    scheduler: str = "default-scheduler"
    gates: tuple[str, ...] = ()


@record()
class Handler(Record):
    """A probe or a hook. how: `exec`, `http`, `tcp`, `grpc`, `sleep`. what: argv[0], path or port; never
    whole command lines.

    host: its target other than the Pod itself; "" if none is given. scheme: of `http` alone, `HTTP` or
    `HTTPS`. paths: the files that the arguments of a command name.
    """

    how: str
    what: str = ""
    port: str = ""
    period: int = 10
    timeout: int = 1
    failures: int = 3
    delay: int = 0
    host: str = ""
    scheme: str = ""
    paths: tuple[str, ...] = ()


@record()
class ContainerSpec(Record):
    """A container's spec. requests, limits: as written, e.g. `("memory", "64")`. command: argv[0] if given.

    env: the names of its variables, without the ones of whole objects (`envFrom`: see `Needs`). mounts: (path
    in the container, volume). read_only: paths mounted read-only by its spec, `/` for its root
    (`readOnlyRootFilesystem`). user: `runAsUser`, its own or the Pod's; None if the image decides. heap:
    options of its command line or environment that limit its heap, as written, with the bytes.
    """

    name: str
    kind: ContainerKind
    image: str
    requests: tuple[tuple[str, str], ...] = ()
    limits: tuple[tuple[str, str], ...] = ()
    command: str | None = None
    ports: tuple[tuple[str, int], ...] = ()
    pre_stop: Handler | None = None
    post_start: Handler | None = None
    liveness: Handler | None = None
    readiness: Handler | None = None
    startup: Handler | None = None
    pull_policy: str = ""
    env: tuple[str, ...] = ()
    mounts: tuple[tuple[str, str], ...] = ()
    read_only: tuple[str, ...] = ()
    user: int | None = None
    heap: tuple[tuple[str, int], ...] = ()


@record(kw_only=True)
class Containers(Fact):
    """`spec` of every container. restart: the Pod's restartPolicy. grace: terminationGracePeriodSeconds.

    gates: `spec.readinessGates`, the conditions that others must set for the Pod to be ready. fs_group:
    `securityContext.fsGroup`. groups: `securityContext.supplementalGroups`. host_pid: `hostPID`, its
    processes have the Node's own numbers.
    """

    items: tuple[ContainerSpec, ...]
    restart: str = "Always"
    grace: int = 30
    host_network: bool = False
    gates: tuple[str, ...] = ()
    fs_group: int | None = None
    host_pid: bool = False
    groups: tuple[int, ...] = ()


@record()
class Complaint(Record):
    """A program's own message about its fatal problem, read by `wording/program`. error:
    docs/en/vocabulary.md. line: the quote.

    Names in the line, "" and 0 if missing: name: the host, variable, option, library, user or kind; port:
    with a host; path: the file; place: a line of the program's own source as `main.go:12`; at: the line of
    the file. verb, resource, group, namespace: the access that the API server denies to user `name`. reason:
    its stated reason, in its own words. detail: the detail or cause in a line below. final: whether it is the
    last line and announces the program's end.
    """

    error: ProgramError
    line: str
    name: str = ""
    port: int = 0
    path: str = ""
    place: str = ""
    at: int = 0
    verb: str = ""
    resource: str = ""
    group: str = ""
    namespace: str = ""
    reason: str = ""
    detail: str = ""
    final: bool = False


@record()
class Termination(Record):
    """The end of a run. code: exit code. reason: the kubelet's word (`OOMKilled`, `Error`, `Completed`,
    `StartError`).

    complaint: the reason in its message.
    """

    code: int
    reason: str = ""
    message: str = ""
    signal: int | None = None
    started: datetime | None = None
    finished: datetime | None = None
    container_id: str = ""
    complaint: Complaint | None = None


@record()
class ContainerStatus(Record):
    """One container's status. state: which of the three is set, `none` if the kubelet has not reported.

    restarted_every: the average seconds between restarts, if only their number and the Pod's age are known (a
    table's row).
    """

    name: str
    kind: ContainerKind
    state: Literal["waiting", "running", "terminated", "none"]
    reason: str = ""
    message: str = ""
    since: datetime | None = None
    ended: Termination | None = None
    last: Termination | None = None
    ready: bool = False
    started: bool | None = None
    restarts: int = 0
    image: str = ""
    container_id: str = ""
    restarted_every: int | None = None


@record(kw_only=True)
class ContainerStatuses(Fact):
    """`status.*containerStatuses`; a container without a status has state `none` only if the spec was seen
    too.

    regular: the number of containers without init containers, if only that is known (READY in a table's row).
    """

    items: tuple[ContainerStatus, ...]
    regular: int | None = None
    ask: ClassVar[str] = "kubectl get pod/{name} {space} -o yaml"


@record()
class Need(Record):
    """One object required for the Pod's start. by: `volume`, `env`, `envFrom`, `pull-secret`, `claim`,
    `service-account`.
    """

    object: Ref
    by: str
    key: str | None = None
    optional: bool = False
    container: str | None = None
    volume: str | None = None


@record(kw_only=True)
class Needs(Fact):
    """Every object referenced by the Pod's spec."""

    items: tuple[Need, ...]
    ask: ClassVar[str] = "kubectl get pod/{name} {space} -o yaml"


@record()
class PodVolume(Record):
    """One entry of `spec.volumes`. type: the field's name (`emptyDir`, `nfs`, `csi`, `hostPath`,
    `persistentVolumeClaim` …).

    what: server and path, driver, host path, claim, Secret, ConfigMap or medium, as one string. size_limit:
    of an `emptyDir`, as written.
    """

    name: str
    type: str
    what: str = ""
    size_limit: str = ""


@record(kw_only=True)
class Volumes(Fact):
    """`spec.volumes`. sub_paths: volumes mounted by subPath, None if the containers were not read."""

    items: tuple[PodVolume, ...]
    sub_paths: tuple[str, ...] | None = None


@record(kw_only=True)
class Demands(Fact):
    """The Pod's requirements for scheduling.

    requests: resource → amount in its base unit (milli-CPU for cpu, bytes, count), summed as the scheduler
    sums it
        (init containers, sidecars, overhead). selector: `spec.nodeSelector`. affinity: whether required node
        affinity is set. claims: names in `spec.resourceClaims`, None if not read.
    """

    requests: tuple[tuple[str, int], ...]
    selector: tuple[tuple[str, str], ...] = ()
    affinity: bool = False
    unreadable: tuple[tuple[str, str], ...] = ()
    claims: tuple[str, ...] | None = None


@record(kw_only=True)
class Life(Fact):
    """Times and generations of a Pod. observed: `status.observedGeneration` (kubelet ≥ 1.34), None where
    not reported.
    """

    created: datetime | None
    started: datetime | None = None
    generation: int | None = None
    observed: int | None = None
    mirror: bool = False


@record(kw_only=True)
class LastLines(Fact):
    """The last lines of a container's log, secrets masked. about: `Ref("Container", "NS/POD", NAME)`.
    previous: of the run before.

    complaint: the program's fatal problem by these lines, None if the lines were not recognised.
    """

    lines: tuple[str, ...]
    previous: bool = False
    complaint: Complaint | None = None
    # A container without restarts has no previous run, which is kubectl's only message.
    ask: ClassVar[str] = (
        "kubectl logs --previous --tail=20 {space} {pod} --container={container} || "
        "kubectl logs --tail=20 {space} {pod} --container={container}"
    )


@record()
class TroubleLine(Record):
    """One line of a container's log that reports trouble, secrets masked. kind: the container's. complaint:
    the reason that it gives, None without known words. setting: an earlier line about the same matter that
    tells a value it was given.
    """

    container: str
    kind: ContainerKind
    line: str
    complaint: Complaint | None = None
    setting: str = ""


@record()
class ToldPort(Record):
    """A port on which a container says in its log that it listens."""

    container: str
    port: int


@record(kw_only=True)
class TroubleLines(Fact):
    """The lines that report trouble in the present logs of a Pod's containers, from their beginning and their
    end. about: the Pod, also one that is ready. ports: the ports on which they say that they listen.

    Never whole: a long log is read at both ends alone.
    """

    items: tuple[TroubleLine, ...]
    ports: tuple[ToldPort, ...] = ()
    ask: ClassVar[str] = "kubectl logs {space} {pod} --all-containers --prefix"
