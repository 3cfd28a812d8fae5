"""Numbers of a machine that are used up: inotify watches and instances, tasks, open files.

Source: k8s.io/utils/inotify, fsnotify backend_inotify.go, Go os/exec and syscall.
"""

from __future__ import annotations

from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

CALLS: tuple[Call, ...] = ()

ERRORS: tuple[Error, ...] = (
    Error(
        # Node.js lib/internal/fs/watchers.js, libuv: the path follows.
        words(
            r"inotify_add_watch (?P<path>/\S{1,400}): no space left on device"
            r"|System limit for number of file watchers reached(?:, watch '(?P<path_2>/[^']{1,400})')?"
        ),
        "watches-exhausted",
        ("inotify_add_watch", "number of file watchers"),
        (
            Seen("cAdvisor in the kubelet", "1.5–1.34", "k8s.io/utils/inotify/inotify_linux.go"),
            Seen("fsnotify", "1.0–1.9", "backend_inotify.go"),
        ),
        (
            Example(
                'Failed to watch directory "/sys/fs/cgroup/cpu": inotify_add_watch /sys/fs/cgroup/cpu/kubepods: no space left on device',
                "watch watches-exhausted path=/sys/fs/cgroup/cpu/kubepods",
            ),
            Example(
                "Failed to start cAdvisor inotify_add_watch /sys/fs/cgroup/memory/system.slice: no space left on device",
                "watch watches-exhausted path=/sys/fs/cgroup/memory/system.slice",
            ),
            Example(
                "Error: ENOSPC: System limit for number of file watchers reached, watch '/srv/config.json'",
                "watch watches-exhausted path=/srv/config.json",
            ),
        ),
        Rank.NAMED,
        "watch",
        takes_over=True,
    ),
    Error(
        # The user's limit of instances, or that of the process's open files: inotify_init(2) gives EMFILE for both.
        words(
            r"inotify_init1?: too many open files|(?:fsnotify|file) watcher: too many open files|create inotify[^\n]{0,20}: too many open files"
            # .NET src/libraries/System.IO.FileSystem.Watcher, Strings.resx (IOException_INotifyInstanceUserLimitExceeded).
            r"|user limit \(\d{1,9}\)\s{1,4}on the number of inotify instances has been reached"
        ),
        "instances-exhausted",
        ("too many open files", "inotify instances has been reached"),
        (
            # The last words are the system's, not theirs.
            Seen("cAdvisor", "0.20–0.52", "utils/inotify/inotify_linux.go of k8s.io/utils"),
            Seen("containerd", "1.3–2.1", "internal/cri/server/cni_conf_syncer.go"),
            Seen("fsnotify", "1.4–1.9", "backend_inotify.go (NewWatcher)"),
        ),
        (
            Example("failed to run Kubelet: inotify_init: too many open files", "watch instances-exhausted"),
            Example(
                "failed to create CRI service: failed to create cni conf monitor for default: failed to create fsnotify watcher: too many open files",
                "watch instances-exhausted",
            ),
            Example("error creating file watcher: too many open files", "watch instances-exhausted"),
            Example(
                "System.IO.IOException: The configured user limit (128) on the number of inotify instances has been reached, or the per-process limit",
                "watch instances-exhausted",
            ),
        ),
        Rank.NAMED,
        "watch",
        takes_over=True,
    ),
    Error(
        # The Node's number of tasks, that of a Pod's or of a unit's cgroup, or that of a user: fork(2) gives EAGAIN for each.
        words(r"fork/exec (?P<path>/\S{1,400}): resource temporarily unavailable"),
        "EAGAIN",
        ("fork/exec",),
        (Seen("Go os/exec", "all", "src/syscall/exec_linux.go"),),
        (
            Example(
                "failed to collect filesystem stats - rootDiskErr: failed to exec du - fork/exec /usr/bin/nice: resource temporarily unavailable",
                "process-start EAGAIN path=/usr/bin/nice",
            ),
            Example(
                'failed to get task for container "0a1b": OCI runtime state failed: fork/exec /usr/bin/runc: resource temporarily unavailable: : unknown',
                "process-start EAGAIN path=/usr/bin/runc",
            ),
        ),
        Rank.NAMED,
        "process-start",
        takes_over=True,
    ),
    Error(
        words(r"too many open files in system"),
        "ENFILE",
        ("too many open files in system",),
        (Seen("Linux, Go syscall", "all", "syscall/zerrors_linux_amd64.go"),),
        (
            Example(
                'standard_init_linux.go:228: exec user process caused "too many open files in system"',
                "file-open ENFILE",
            ),
            Example("accept tcp 10.1.0.7:80: accept4: too many open files in system", "file-open ENFILE"),
        ),
        Rank.NAMED,
        "file-open",
    ),
)
