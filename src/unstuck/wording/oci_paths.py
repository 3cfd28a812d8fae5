"""Paths that an OCI runtime meets while it makes a container: its mounts, and the directory in which the
program begins.

Source: runc libcontainer/{rootfs,init}_linux.go (0.1–1.3), crun src/libcrun (0.10–1.20), docker
container/container_unix.go.
"""

from __future__ import annotations

from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_C = "Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "

# The file that the kubelet makes for a container's termination message (pkg/kubelet/kuberuntime/kuberuntime_container.go, makeMounts).
_MESSAGE_FILE = r"/[^\s\"]{1,300}/pods/[^/\s\"]{1,64}/containers/[a-z0-9-]{1,63}/[0-9a-f]{8}\""

CALLS: tuple[Call, ...] = ()

ERRORS: tuple[Error, ...] = (
    Error(
        words(
            r"chdir to cwd \(\"(?P<path>[^\"\n]{1,400})\"\) set in config\.json failed: (?:permission denied|not a directory|no such file or directory)|"
            r"Cannot mkdir: (?P<path_2>/[^\s]{1,400}) is not a directory|"
            r"chdir to `(?P<path_3>[^`\n]{1,400})`: (?:permission denied|not a directory|no such file or directory)"
        ),
        "working-directory",
        ("chdir to", "cannot mkdir: "),
        (
            Seen("runc", "1.0–1.3", "libcontainer/init_linux.go (verifyCwd, finalizeNamespace)"),
            Seen(
                "docker",
                "1.10–28",
                "daemon/container_operations.go, container/container_unix.go (SetupWorkingDirectory)",
            ),
            Seen("crun", "0.10–1.20", "src/libcrun/container.c"),
        ),
        (
            Example(
                'Error: failed to start container "c": Error response from daemon: OCI runtime create failed: container_linux.go:348: starting container '
                'process caused "chdir to cwd (\\"/home/app\\") set in config.json failed: permission denied": unknown',
                "container-start working-directory container=c path=/home/app",
            ),
            Example(
                'Error: container create failed: time="2021-03-10T07:30:19Z" level=error msg="container_linux.go:366: starting container process caused: '
                'chdir to cwd (\\"/home/app\\") set in config.json failed: permission denied"',
                "container-start working-directory path=/home/app",
            ),
            Example(
                "Error response from daemon: Cannot mkdir: /etc/x is not a directory",
                "container-create working-directory path=/etc/x",
            ),
        ),
        Rank.NAMED,
        "container-create",
        within=("container-create", "container-start"),
    ),
    # The same errno as for a path's missing directory: here two things of different kinds are laid over one another.
    Error(
        words(
            r"mounting \"(?!"
            + _MESSAGE_FILE
            + r")(?P<path>/[^\s\"]{1,400})\"\s{1,4}to rootfs (?:\"[^\"\n]{0,400}\" )?at \"(?P<key>/[^\s\"]{1,800})\"[^\n]{0,900}?(?:: |\")not a directory|"
            r"mount `(?P<path_2>/[^`\s]{1,400})` to `(?P<key_2>[^`\s]{1,400})`: not a directory"
        ),
        "mount-type-mismatch",
        ("not a directory",),
        (
            Seen("runc", "0.1–1.3", "libcontainer/rootfs_linux.go (mountToRootfs, mountPropagate)"),
            Seen("crun", "0.10–1.20", "src/libcrun/linux.c (do_mount)"),
        ),
        (
            Example(
                _C
                + 'error during container init: error mounting "/data/app.conf" to rootfs at "/etc/app.conf": mount /data/app.conf:/etc/app.conf '
                "(via /proc/self/fd/6), flags: 0x5000: not a directory: unknown: Are you trying to mount a directory onto a file (or vice-versa)?",
                "container-start mount-type-mismatch key=/etc/app.conf path=/data/app.conf",
            ),
            Example(
                'OCI runtime create failed: container_linux.go:348: starting container process caused "process_linux.go:402: container init caused '
                '\\"rootfs_linux.go:58: mounting \\\\\\"/k/pods/u/volume-subpaths/v/c/0\\\\\\" to rootfs \\\\\\"/d/overlay2/0a/merged\\\\\\" at '
                '\\\\\\"/d/overlay2/0a/merged/etc/app.conf\\\\\\" caused \\\\\\"not a directory\\\\\\"\\"": unknown',
                "container-start mount-type-mismatch key=/d/overlay2/0a/merged/etc/app.conf path=/k/pods/u/volume-subpaths/v/c/0",
            ),
            Example(
                "container create failed: mount `/k/pods/u/volumes/kubernetes.io~configmap/v` to `etc/app.conf`: Not a directory",
                "container-start mount-type-mismatch key=etc/app.conf path=/k/pods/u/volumes/kubernetes.io~configmap/v",
            ),
        ),
        Rank.NAMED,
        "container-start",
        within=("container-create", "container-start"),
    ),
    Error(
        words(
            r"mounting \"(?P<path>/[^\s\"]{1,300}/pods/[^/\s\"]{1,64}/containers/(?P<container>[a-z0-9-]{1,63})/[0-9a-f]{8})\"\s{1,4}"
            r"to rootfs (?:\"[^\"\n]{0,400}\" )?at \"(?:/[^\s\"]{1,400}/(?:merged|rootfs)(?=/))?(?P<key>/[^\s\"]{1,800})\"[^\n]{0,900}?"
            r"(?:(?:: |\")(?:not a directory|no such file or directory|read-only file system)|cannot be mounted because it is (?:located )?inside)"
        ),
        "message-path-unusable",
        ("/containers/",),
        (
            Seen(
                "runc",
                "0.1–1.3",
                "libcontainer/rootfs_linux.go (createMountpoint, checkProcMount, mountPropagate)",
            ),
        ),
        (
            Example(
                "Error: failed to create containerd task: failed to create shim: OCI runtime create failed: container_linux.go:380: starting container "
                'process caused: process_linux.go:545: container init caused: rootfs_linux.go:75: mounting "/k/pods/u/containers/smart/ff83452c" '
                'to rootfs at "/dev/termination-log" caused: open /run/containerd/k8s.io/smart/rootfs/dev/termination-log: read-only file system: unknown',
                "container-start message-path-unusable container=smart key=/dev/termination-log path=/k/pods/u/containers/smart/ff83452c",
            ),
            Example(
                'Error: failed to start container "d": Error response from daemon: OCI runtime create failed: container_linux.go:348: starting '
                'container process caused "process_linux.go:402: container init caused \\"rootfs_linux.go:58: mounting '
                '\\\\\\"/k/pods/u/containers/d/fd9b54f9\\\\\\" to rootfs \\\\\\"/d/overlay2/0a/merged\\\\\\" at '
                '\\\\\\"/d/overlay2/0a/merged/dev/termination-log\\\\\\" caused \\\\\\"no such file or directory\\\\\\"\\"": unknown',
                "container-start message-path-unusable container=d key=/dev/termination-log path=/k/pods/u/containers/d/fd9b54f9",
            ),
            Example(
                _C
                + 'unable to start container process: error during container init: error mounting "/k/pods/u/containers/app/4f3c2d1a" to rootfs at '
                '"/var/log": mount src=/k/pods/u/containers/app/4f3c2d1a, dst=/var/log, dstFd=/proc/thread-self/fd/8, flags=0x5000: '
                "not a directory: unknown",
                "container-start message-path-unusable container=app key=/var/log path=/k/pods/u/containers/app/4f3c2d1a",
            ),
            Example(
                _C
                + 'unable to start container process: error during container init: error mounting "/k/pods/u/containers/app/4f3c2d1a" to rootfs at '
                '"/proc/result": "/proc/result" cannot be mounted because it is inside /proc: unknown',
                "container-start message-path-unusable container=app key=/proc/result path=/k/pods/u/containers/app/4f3c2d1a",
            ),
        ),
        Rank.NAMED,
        "container-start",
        within=("container-create", "container-start"),
    ),
)
