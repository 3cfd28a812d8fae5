"""Limits, security modules and cgroups of the kernel that keep a runtime from starting a container.

Source: runc libcontainer (rootfs_linux.go, init_linux.go, apparmor, seccomp, cgroups), crun, the Go runtime.
"""

from __future__ import annotations

from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words
from unstuck.wording.starting import CREATIONS

_S = "Failed to create pod sandbox: rpc error: code = Unknown desc = "
_C = "Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "
_RUNC = Seen("runc", "1.0–1.3", "libcontainer/{init,rootfs,standard_init}_linux.go")

CALLS: tuple[Call, ...] = ()

ERRORS: tuple[Error, ...] = (
    Error(
        words(
            r"error setting rlimit type (?P<key>\d{1,3})|error setting rlimits for (?:ready|procReady) process: (?!error)[^\n]{0,60}(?:not permitted|invalid argument)|"
            r"setrlimit [^\n]{0,60}: operation not permitted|mlock of signal stack failed"
        ),
        "rlimit",
        ("rlimit", "mlock of signal"),
        (_RUNC, Seen("Go runtime", "1.14–1.24", "src/runtime/os_linux.go")),
        (
            Example(
                _C
                + "unable to start container process: error setting rlimits for ready process: error setting rlimit type 7: operation not permitted: unknown",
                "container-start rlimit key=7",
            ),
            Example(
                f"{_S}OCI runtime create failed: runtime: mlock of signal stack failed: 12",
                "sandbox-create rlimit",
            ),
        ),
        Rank.NAMED,
        "container-start",
        within=CREATIONS,
    ),
    Error(
        # Any program prints this, even one called by hand; it counts as the runtime's only if it tries to create something.
        words(r"failed to create new OS thread|pthread_create failed"),
        "rlimit",
        ("os thread", "pthread_create"),
        (Seen("Go runtime", "1.14–1.24", "src/runtime/os_linux.go, src/runtime/cgo/gcc_linux.c"),),
        (
            Example(
                f"{_S}OCI runtime create failed: runtime: failed to create new OS thread (have 5 already; errno=11)",
                "sandbox-create rlimit",
            ),
            Example(
                f"{_C}runtime/cgo: pthread_create failed: Resource temporarily unavailable: unknown",
                "container-start rlimit",
            ),
            Example("runtime/cgo: pthread_create failed: Resource temporarily unavailable", ""),
        ),
        Rank.NAMED,
        within=CREATIONS,
    ),
    Error(
        words(
            r"write /proc/(?:self|thread-self)/attr/keycreate: (?:permission denied|invalid argument)|"
            r"(?:failed to set file label on|relabel(?:ing)? (?:failed |content in )?|lsetxattr )\"?(?P<path>/[^\s:\"]{1,400})\"?[^\n]{0,120}(?:not permitted|not supported|not allowed|permission denied|read-only)|"
            r"SELinux relabeling of (?P<path_2>/[^\s:\"]{1,400}) is not allowed"
        ),
        "selinux-denied",
        ("attr/keycreate", "file label", "relabel", "lsetxattr"),
        (
            Seen("runc", "1.0–1.3", "github.com/opencontainers/selinux go-selinux/selinux_linux.go"),
            Seen("docker, containerd, cri-o", "all"),
        ),
        (
            Example(
                _C
                + "unable to start container process: error during container init: write /proc/self/attr/keycreate: permission denied: unknown",
                "container-start selinux-denied",
            ),
            Example(
                'Error: failed to generate container "0a" spec: relabel failed /data/x: operation not supported',
                "container-create selinux-denied path=/data/x",
            ),
        ),
        Rank.NAMED,
        "container-create",
        within=CREATIONS,
    ),
    Error(
        words(
            r"apparmor failed to apply profile|apparmor profile not found (?P<key>\S{1,200})|unable to apply apparmor profile|"
            r"Cannot enforce AppArmor: [^\n]{1,200}|apparmor is not supported|profile \"?(?P<key_2>[^\s\"]{1,200})\"? is not loaded"
            r"|get apparmor_parser version: [^\n]{1,200}"
        ),
        "apparmor-unsupported",
        ("apparmor", "is not loaded"),
        (
            Seen("runc", "1.0–1.3", "libcontainer/apparmor/apparmor_linux.go"),
            Seen("containerd", "1.2–2.1", "internal/cri/server/container_create_linux.go"),
            Seen(
                "kubelet", "1.4–1.34", "pkg/kubelet/lifecycle/handlers.go, pkg/security/apparmor/validate.go"
            ),
        ),
        (
            Example(
                _C
                + "unable to start container process: error during container init: unable to apply apparmor profile: apparmor failed to apply profile: write "
                "/proc/self/attr/apparmor/exec: no such file or directory: unknown",
                "container-start apparmor-unsupported",
            ),
            Example(
                "Cannot enforce AppArmor: AppArmor is not enabled on the host",
                "container-create apparmor-unsupported",
            ),
            Example(
                'Error: failed to create containerd container: get apparmor_parser version: exec: "apparmor_parser": executable file not found in $PATH',
                "container-create apparmor-unsupported",
            ),
        ),
        Rank.NAMED,
        "container-create",
        within=CREATIONS,
    ),
    Error(
        words(
            r"cannot load seccomp profile \"(?P<path>/[^\"\n]{1,400})\"|(?:unable|failed) to load (?:local |seccomp )?profile \"(?P<path_2>/[^\"\n]{1,400})\""
            r"|(?:opening|decoding|load(?:ing)?) seccomp profile(?: \(?(?P<path_3>/[^\s)\n]{1,400})\)?)?(?: failed)?: (?:open (?P<path_4>/[^\s:\n]{1,400}))?"
        ),
        "seccomp-unusable",
        ("seccomp profile", "load local profile", "load profile"),
        (
            Seen(
                "containerd",
                "1.1–2.1",
                "internal/cri/server/container_create_linux.go, contrib/seccomp/seccomp.go",
            ),
            Seen("cri-o", "1.13–1.34", "internal/config/seccomp/seccomp.go"),
            Seen("docker", "1.10–28", "daemon/seccomp_linux.go"),
        ),
        (
            Example(
                'Error: failed to create containerd container: cannot load seccomp profile "/var/lib/kubelet/seccomp/profiles/audit.json": '
                "open /var/lib/kubelet/seccomp/profiles/audit.json: no such file or directory",
                "container-create seccomp-unusable path=/var/lib/kubelet/seccomp/profiles/audit.json",
            ),
            Example(
                'Error: failed to generate security options for container "c": failed to generate seccomp security options for container: cannot load seccomp profile '
                '"/var/lib/kubelet/seccomp/a.json": open /var/lib/kubelet/seccomp/a.json: no such file or directory',
                "container-create seccomp-unusable path=/var/lib/kubelet/seccomp/a.json",
            ),
        ),
        Rank.NAMED,
        "container-create",
        within=CREATIONS,
    ),
    Error(
        words(
            r"cannot f(?:ind|ound) cgroup mount destination|no cgroup mount found in mountinfo|mountpoint for (?P<key>\w{1,20}) not found|"
            r"cgroup subsystem not mounted: \[(?P<key_2>[\w ,]{1,80})\]|missing (?:required )?cgroups?(?: controllers?)?: (?P<key_3>[\w ,]{1,80})|"
            r"failed to find (?P<key_4>\w{1,20}) cgroup(?: \(v2\))?|cgroup \[\"?(?P<key_5>[\w, \"]{1,80})\"?\] (?:not found|missing)"
        ),
        "controller-missing",
        ("cgroup mount", "mountpoint for", "subsystem not mounted", "missing", "failed to find", "cgroup ["),
        (
            Seen("containerd cgroups", "1.0–1.1", "github.com/containerd/cgroups cgroup.go"),
            Seen("runc", "1.0–1.3", "github.com/opencontainers/cgroups utils.go"),
            Seen("kubelet", "1.8–1.34", "pkg/kubelet/cm/container_manager_linux.go"),
        ),
        (
            Example(
                f"{_S}OCI runtime create failed: cgroups: cannot find cgroup mount destination: unknown",
                "sandbox-create controller-missing",
            ),
            Example(
                f'{_S}OCI runtime create failed: applying cgroup configuration for process caused \\"mountpoint for cpuset not found\\": unknown',
                "sandbox-create controller-missing key=cpuset",
            ),
        ),
        Rank.NAMED,
        within=(*CREATIONS, "sync", "node-ready"),
    ),
    Error(
        words(
            r"failed to find subsystem mount for required subsystem: (?P<key>\w{1,20})|failed to find (?P<key_2>\w{1,20}) cgroup(?: \(v2\))?, you may need"
        ),
        "controller-missing",
        ("subsystem mount for required", "cgroup, you may need", "cgroup (v2), you may need"),
        (
            Seen("kubelet", "1.6–1.27", "pkg/kubelet/cm/cgroup_manager_linux.go"),
            Seen("k3s, rke2", "1.0–1.34", "pkg/cgroups/cgroups_linux.go"),
        ),
        (
            Example(
                "Failed to start ContainerManager failed to initialize top level QOS containers: failed to update top level Burstable QOS cgroup : "
                "failed to set supported cgroup subsystems for cgroup [kubepods burstable]: Failed to find subsystem mount for required subsystem: pids",
                "kubelet-start controller-missing key=pids",
            ),
            Example(
                "Failed to ensure state of process 0 ... : failed to find subsystem mount for required subsystem: hugetlb",
                "kubelet-start controller-missing key=hugetlb",
            ),
            Example(
                'level=fatal msg="failed to find memory cgroup, you may need to add \\"cgroup_memory=1 cgroup_enable=memory\\" to your linux cmdline"',
                "kubelet-start controller-missing key=memory",
            ),
        ),
        Rank.NAMED,
        "kubelet-start",
    ),
)
