"""The kubelet's settings, contents and answers: from its files on the node and from its own HTTP API."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record

CertificateUse = Literal["client", "serving", "ca"]


@record(kw_only=True)
class KubeletConfig(NodeFact):
    """The kubelet's configuration. about: the Node. Flags, then its configuration file, then the defaults; or
    `/configz`.

    Unknown booleans and numbers are None, unknown texts "". root_dir: its `--root-dir` (None from `/configz`,
    which omits flags); real_root: the same directory with its symbolic links resolved. eviction_hard,
    eviction_soft: (signal, threshold) as written. paths: (setting or flag, absolute path) of all settings
    with one, `resolvConf` with its default too. file: its configuration file. absent: missing paths; None if
    not checked. image_gc: (low, high) in percent. read_only_port: 0 if disabled. verbosity: klog's -v.
    Source: cmd/kubelet/app/options, kubelet.config.k8s.io/v1beta1.
    """

    root_dir: str | None = None
    real_root: str | None = None
    cgroup_driver: str = ""
    cgroup_root: str = ""
    pod_logs_dir: str = ""
    static_pod_path: str = ""
    runtime_endpoint: str = ""
    server_tls_bootstrap: bool | None = None
    rotate_certificates: bool | None = None
    read_only_port: int | None = None
    max_pods: int | None = None
    fail_swap_on: bool | None = None
    image_gc: tuple[int, int] | None = None
    eviction_hard: tuple[tuple[str, str], ...] = ()
    eviction_soft: tuple[tuple[str, str], ...] = ()
    verbosity: int | None = None
    version: str = ""
    file: str = ""
    paths: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] | None = None
    ask: ClassVar[str] = "kubectl get --raw=/api/v1/nodes/{name}/proxy/configz"


@record()
class Rivals(Record):
    """Different files of one directory for the same static Pod. pod: its mirror's name."""

    pod: Ref
    files: tuple[str, ...]


@record(kw_only=True)
class StaticManifests(NodeFact):
    """Files in the kubelet's staticPodPath, each the manifest of a static Pod. about: the Node. path: "" if
    not configured.

    pods: (file, `NAMESPACE/NAME` from its metadata, without the Node's name) of each readable manifest;
    nothing else is kept. rivals: the Pods defined differently by several files; None if no file could be
    read.
    """

    path: str
    names: tuple[str, ...] = ()
    pods: tuple[tuple[str, str], ...] = ()
    rivals: tuple[Rivals, ...] | None = None
    ask: ClassVar[str] = "ls /etc/kubernetes/manifests"


@record()
class StaticPod(Record):
    """The manifest of a static Pod. pod: its mirror's name. left_out: why the kubelet does not read the file:
    its name begins with a dot, or it is in another directory. refused: the kubelet's last message about the
    file or the mirror Pod. kind: the object's, which is no Pod if it is a mistake.
    """

    file: str
    pod: Ref
    kind: str = "Pod"
    labels: tuple[tuple[str, str], ...] = ()
    left_out: Literal["", "dot", "directory"] = ""
    refused: str = ""


@record(kw_only=True)
class StaticPods(NodeFact):
    """The manifests of static Pods on a node, those beside the kubelet's directory included. about: the Node,
    or `Ref("Cluster")` for the nodes in sight.

    path: the kubelet's staticPodPath, "" if not set. Of a manifest only name and labels are kept.
    """

    node: str
    path: str = ""
    items: tuple[StaticPod, ...] = ()
    ask: ClassVar[str] = (
        "grep -rl 'kind: Pod' /etc/kubernetes; journalctl -u kubelet | grep -i 'mirror pod' | tail"
    )


@record()
class Listed(Record):
    """One Pod in the kubelet's own list. deleting: its deletionTimestamp in the list. static: whether it
    comes from a file or URL of the node.
    """

    pod: Ref
    phase: str = ""
    deleting: datetime | None = None
    static: bool = False


@record(kw_only=True)
class KubeletPods(NodeFact):
    """The kubelet's own list of Pods (`/pods`), maintained by watching the API server and its manifests.
    about: the Node.
    """

    items: tuple[Listed, ...]
    ask: ClassVar[str] = "kubectl get --raw=/api/v1/nodes/{name}/proxy/pods"


@record(kw_only=True)
class KubeletPod(NodeFact):
    """One Pod in the kubelet's own list. about: the Pod. listed: False if it is missing from the list.
    deleting: its deletionTimestamp in the list, None without one.
    """

    listed: bool
    phase: str = ""
    deleting: datetime | None = None
    static: bool = False
    ask: ClassVar[str] = "kubectl get --raw=/api/v1/nodes/{node}/proxy/pods | grep {uid}"


@record(kw_only=True)
class KubeletHealth(NodeFact):
    """`/healthz?verbose` of the kubelet. about: the Node. checks: (name, passed). answered: False if the
    kubelet was silent until the deadline.

    Its `syncloop` check fails if the loop has not run for twice the resync interval (pkg/kubelet/kubelet.go,
    LatestLoopEntryTime); it does not cover the runtime.
    """

    answered: bool
    ok: bool = False
    checks: tuple[tuple[str, bool], ...] = ()
    ask: ClassVar[str] = "curl -m 5 -s 'http://127.0.0.1:10248/healthz?verbose'"


@record()
class Endpoint(Record):
    """One path of the kubelet's API. seconds: until the complete answer, None without one in `waited`
    seconds.

    status: the HTTP status, 0 without an answer.
    """

    path: str
    seconds: float | None
    waited: float
    status: int = 0


@record(kw_only=True)
class KubeletEndpoints(NodeFact):
    """The answers of the kubelet's API by path, with their times. about: the Node.

    With a silent runtime, `/metrics` hangs while `/pods`, `/configz` and `/healthz` still answer.
    """

    items: tuple[Endpoint, ...]
    ask: ClassVar[str] = "time kubectl get --raw=/api/v1/nodes/{name}/proxy/metrics | tail -1"


@record()
class Series(Record):
    """One sample of a metric. labels: (name, value), sorted."""

    name: str
    value: float
    labels: tuple[tuple[str, str], ...] = ()


@record(kw_only=True)
class KubeletMetrics(NodeFact):
    """The series of the kubelet's `/metrics` about its waits, without series of value 0. about: the Node.

    `kubelet_working_pods`, `storage_operation_duration_seconds_count`,
    `kubelet_runtime_operations_errors_total`, `volume_manager_total_volumes`,
    `kubelet_pleg_last_seen_seconds` and the like.
    """

    items: tuple[Series, ...]
    ask: ClassVar[str] = (
        "kubectl get --raw=/api/v1/nodes/{name}/proxy/metrics | grep -E 'working_pods|total_volumes|fail'"
    )


@record()
class Certificate(Record):
    """The public part of a certificate. use: `client` (to the API server), `serving` (the kubelet's own
    port), `ca` (the trusted one).

    subject, issuer: the common names. sha256: the certificate's own, in hex, which identifies a peer that
    presents it. Nothing else of the file is kept, and never a private key.
    """

    use: CertificateUse
    path: str
    subject: str
    issuer: str = ""
    not_before: datetime | None = None
    not_after: datetime | None = None
    sha256: str = ""


@record(kw_only=True)
class Certificates(NodeFact):
    """The kubelet's certificates. about: the Node. unread: unreadable certificate files."""

    items: tuple[Certificate, ...]
    unread: tuple[str, ...] = ()
    ask: ClassVar[str] = (
        "openssl x509 -noout -subject -dates -in /var/lib/kubelet/pki/kubelet-client-current.pem"
    )


@record()
class CsiVolume(Record):
    """One CSI volume's directory below the Pod's. name: the directory's name (the PersistentVolume's, or the
    inline volume's).

    data: the state of its `vol_data.json`: `present`, `missing`, `unreadable`, or `invalid` (empty, cut off,
    no JSON object). driver: the driver's name in it. mounted: whether `mount` below the directory is a mount
    point, None if unknown.
    """

    name: str
    path: str
    data: Literal["present", "missing", "unreadable", "invalid"]
    driver: str = ""
    mounted: bool | None = None


@record(kw_only=True)
class VolumeData(NodeFact):
    """The Pod's CSI volumes on disk, each with the file that the kubelet needs for unmounting. about: the
    Pod.

    Source: pkg/volume/csi/csi_plugin.go (NewUnmounter reads `vol_data.json` in the volume's directory).
    """

    items: tuple[CsiVolume, ...]
    ask: ClassVar[str] = (
        "find /var/lib/kubelet/pods/{uid}/volumes -path '*/kubernetes.io~csi/*/vol_data.json'"
    )
