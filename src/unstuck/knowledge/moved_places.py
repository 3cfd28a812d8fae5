"""Usual places of a node, and where distributions and other components keep the same.

Sources: journald.conf(5) (Storage), rsyslog of Debian and Red Hat, cgroups(7) and cgroup_namespaces(7),
documentation of k3s, RKE2, k0s and MicroK8s on their directories, containerd and CRI-O on their sockets.
"""

from __future__ import annotations

from typing import Literal

from unstuck.facts.record import Record, record

# Why a node keeps it elsewhere: the journal is in memory; the runtime is another; control groups have another
# version; the distribution has other places.
Reason = Literal["journal", "runtime", "cgroup", "distribution"]


@record()
class MovedPlace(Record):
    """usual: the place that programs expect. others: where the same may be, the likeliest first."""

    usual: str
    others: tuple[str, ...]
    reason: Reason


_CONTAINERD, _CRIO = "/run/containerd/containerd.sock", "/run/crio/crio.sock"
_K3S = "/run/k3s/containerd/containerd.sock"
_V2 = "/sys/fs/cgroup/cgroup.controllers"
MOVED_PLACES: tuple[MovedPlace, ...] = (
    MovedPlace("/var/log/journal", ("/run/log/journal",), "journal"),
    MovedPlace("/var/run/docker.sock", (_CONTAINERD, _K3S, _CRIO), "runtime"),
    MovedPlace("/run/docker.sock", (_CONTAINERD, _K3S, _CRIO), "runtime"),
    MovedPlace(_CONTAINERD, (_K3S, _CRIO, "/run/docker.sock"), "runtime"),
    MovedPlace("/run/dockershim.sock", (_CONTAINERD, _K3S, _CRIO), "runtime"),
    MovedPlace("/var/run/dockershim.sock", (_CONTAINERD, _K3S, _CRIO), "runtime"),
    MovedPlace("/var/lib/docker/containers", ("/var/log/pods",), "runtime"),
    MovedPlace("/var/lib/docker", ("/var/lib/containerd", "/var/lib/containers"), "runtime"),
    MovedPlace(
        "/var/log/syslog", ("/var/log/messages", "/var/log/journal", "/run/log/journal"), "distribution"
    ),
    MovedPlace(
        "/var/log/messages", ("/var/log/syslog", "/var/log/journal", "/run/log/journal"), "distribution"
    ),
    MovedPlace("/var/log/auth.log", ("/var/log/secure",), "distribution"),
    MovedPlace("/var/log/secure", ("/var/log/auth.log",), "distribution"),
    *(
        MovedPlace(f"/sys/fs/cgroup/{name}", (_V2,), "cgroup")
        for name in (
            *("blkio", "cpu", "cpuacct", "cpu,cpuacct", "cpuset", "devices", "freezer", "hugetlb", "memory"),
            *("net_cls", "net_prio", "perf_event", "pids", "systemd"),
        )
    ),
    MovedPlace(_V2, ("/sys/fs/cgroup/memory",), "cgroup"),
    MovedPlace(
        "/etc/ssl/certs/ca-certificates.crt",
        ("/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"),
        "distribution",
    ),
    MovedPlace(
        "/etc/pki/tls/certs/ca-bundle.crt",
        ("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem"),
        "distribution",
    ),
    MovedPlace("/etc/cni/net.d", ("/var/lib/rancher/k3s/agent/etc/cni/net.d",), "distribution"),
    MovedPlace(
        "/opt/cni/bin", ("/var/lib/rancher/k3s/data/cni", "/usr/libexec/cni", "/usr/lib/cni"), "distribution"
    ),
    MovedPlace(
        "/var/lib/kubelet",
        ("/var/lib/k0s/kubelet", "/var/snap/microk8s/common/var/lib/kubelet"),
        "distribution",
    ),
    MovedPlace("/sys/kernel/debug/tracing", ("/sys/kernel/tracing",), "distribution"),
)
