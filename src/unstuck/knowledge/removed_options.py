"""Options that a release of a program took away, with a source for each row.

A program with such an option in its manifest ends at its first start after the upgrade.
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.facts.record import Record, record


@record()
class RemovedOptions(Record):
    """program: as in the names of images, containers and manifests; "" for each of Kubernetes' programs.
    release: the first without these options. names: as the program spells them in its message.

    instead: the option that has taken their place, "" if none has. shared: whether other programs have
    options of these names. source: where the removal is told.
    """

    program: str
    release: str
    names: tuple[str, ...]
    source: str
    instead: str = ""
    shared: bool = False


JVM = "the JVM"
# Kubernetes' own programs, each an image or a service of its own.
KUBERNETES = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet")
REMOVED_OPTIONS: tuple[RemovedOptions, ...] = (
    RemovedOptions(
        "kubelet",
        "Kubernetes 1.24",
        (
            *("--network-plugin", "--network-plugin-mtu", "--cni-bin-dir", "--cni-cache-dir"),
            *("--cni-conf-dir", "--docker-endpoint", "--experimental-dockershim-root-directory"),
            "--image-pull-progress-deadline",
        ),
        "kubernetes/kubernetes#106907",
    ),
    RemovedOptions(
        "kubelet",
        "Kubernetes 1.27",
        ("--container-runtime",),
        "kubernetes/kubernetes#114017",
        "--container-runtime-endpoint",
    ),
    RemovedOptions(
        "kubelet", "Kubernetes 1.31", ("--keep-terminated-pod-volumes",), "kubernetes/kubernetes#122082"
    ),
    RemovedOptions(
        "kubelet", "Kubernetes 1.35", ("--pod-infra-container-image",), "kubernetes/kubernetes#133779"
    ),
    RemovedOptions(
        "kube-apiserver",
        "Kubernetes 1.25",
        ("--service-account-api-audiences",),
        "kubernetes/kubernetes#108624",
        "--api-audiences",
    ),
    RemovedOptions(
        "kube-apiserver",
        "Kubernetes 1.33",
        ("--cloud-provider", "--cloud-config"),
        "kubernetes/kubernetes#130162",
        shared=True,
    ),
    RemovedOptions(
        "kube-scheduler",
        "Kubernetes 1.23",
        (
            *("--policy-config-file", "--policy-configmap", "--policy-configmap-namespace"),
            "--use-legacy-policy-config",
        ),
        "kubernetes/kubernetes#105424",
        "--config",
    ),
    RemovedOptions(
        "kube-scheduler",
        "Kubernetes 1.24",
        ("--address",),
        "kubernetes/kubernetes#96345",
        "--bind-address",
        shared=True,
    ),
    RemovedOptions(
        "kube-scheduler",
        "Kubernetes 1.24",
        ("--port",),
        "kubernetes/kubernetes#96345",
        "--secure-port",
        shared=True,
    ),
    RemovedOptions(
        "kube-controller-manager",
        "Kubernetes 1.25",
        ("--experimental-cluster-signing-duration",),
        "kubernetes/kubernetes#108476",
        "--cluster-signing-duration",
    ),
    RemovedOptions(
        "kube-controller-manager",
        "Kubernetes 1.27",
        ("--enable-taint-manager", "--pod-eviction-timeout"),
        "kubernetes/kubernetes#115840",
    ),
    RemovedOptions(
        "",
        "Kubernetes 1.26",
        (
            *("--add-dir-header", "--alsologtostderr", "--log-backtrace-at", "--log-dir", "--log-file"),
            *("--log-file-max-size", "--logtostderr", "--one-output", "--skip-headers"),
            *("--skip-log-headers", "--stderrthreshold"),
        ),
        "kubernetes/kubernetes#112120",
        shared=True,
    ),
    RemovedOptions(
        "etcd",
        "etcd 3.6",
        (
            *("--enable-v2", "--experimental-enable-v2v3", "--proxy-dial-timeout", "--proxy-failure-wait"),
            *("--proxy-read-timeout", "--proxy-refresh-interval", "--proxy-write-timeout"),
        ),
        "etcd-io/etcd#19914",
    ),
    RemovedOptions(
        JVM,
        "Java 9",
        (
            *("GCLogFileSize", "NumberOfGCLogFiles", "PrintAdaptiveSizePolicy", "PrintGCCause"),
            *("PrintGCApplicationConcurrentTime", "PrintGCApplicationStoppedTime", "PrintGCDateStamps"),
            *("PrintGCTimeStamps", "PrintHeapAtGC", "PrintPromotionFailure", "PrintReferenceGC"),
            *("PrintTenuringDistribution", "UseGCLogFileRotation"),
        ),
        "openjdk.org/jeps/271",
        "-Xlog:gc*",
    ),
    # Java 14 ignores them with a warning.
    RemovedOptions(
        JVM,
        "Java 15",
        (
            *("CMSClassUnloadingEnabled", "CMSInitiatingOccupancyFraction", "CMSParallelRemarkEnabled"),
            *("CMSScavengeBeforeRemark", "UseCMSInitiatingOccupancyOnly", "UseConcMarkSweepGC"),
        ),
        "openjdk.org/jeps/363",
        "-XX:+UseG1GC",
    ),
)


def find_removed_options(name: str, said_by: str) -> Iterator[RemovedOptions]:
    """Yield the removals that took this option from the program. said_by: what is known of the program: its
    image, its container, the command that printed its log. Without a known program: all removals of the
    option.
    """
    rows = [row for row in REMOVED_OPTIONS if name in row.names]
    known = [row for row in rows if any(program in said_by for program in _list_programs(row))]
    yield from known or (rows if not any(p in said_by for p in (*KUBERNETES, "etcd")) else ())


def _list_programs(row: RemovedOptions) -> tuple[str, ...]:
    return (row.program,) if row.program else KUBERNETES
