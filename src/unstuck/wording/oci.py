"""The OCI runtime: creating a container's first process, and the memory it needs for that.

Source: runc libcontainer/{process_linux,init_linux}.go (1.0–1.3), containerd, docker daemon/container_unix.go, cri-o server/container_create.go.
"""

from __future__ import annotations

from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_RUNC = "runc libcontainer/process_linux.go"
# Not the node's own programs, which a runtime runs.
_NOT_IN_PATH = (
    r"exec: \"(?!(?:apparmor_parser|(?:docker-)?runc|crun|docker-init|(?:docker-)?containerd-shim[\w-]{0,40}"
    r"|nvidia-container-[\w-]{1,40})\")(?P<key>[^\"]{1,4096})\": executable file not found in \$PATH"
)

CALLS: tuple[Call, ...] = (
    Call(
        words(
            r"(?:failed to (?:create|start) containerd task(?! for sandbox)|failed to create (?:shim task|task for container)|"
            r"container create failed|failed to start container(?! process)(?: \"(?:[0-9a-f]{64}|(?P<container>[a-z0-9][a-z0-9-]{0,62}))\"| \"[^\"]{1,253}\")?|OCI runtime (?:create|start) failed)"
        ),
        "container-start",
        ("task", "container create failed", "start container", "oci runtime"),
        (
            Seen("containerd", "1.2–2.1", "internal/cri/server/container_start.go"),
            Seen("docker, cri-o", "all"),
        ),
        (
            Example(
                "Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: "
                'exec: "/app/server": stat /app/server: no such file or directory: unknown',
                "container-start exec-not-found path=/app/server",
            ),
            Example(
                'OCI runtime create failed: runc create failed: unable to start container process: exec: "/x": permission denied: unknown',
                "container-start not-executable path=/x",
            ),
        ),
        bare=None,
        weak=True,
    ),
    Call(
        words(
            r"failed to \"?StartContainer\"? for \"(?P<container>[^\"]{1,253})\" with (?:RunContainerError|StartError)"
        ),
        "container-start",
        ("startcontainer",),
        (Seen("kubelet", "1.5–1.34", "pkg/kubelet/container/sync_result.go"),),
        (
            Example(
                'failed to "StartContainer" for "c" with RunContainerError: "context deadline exceeded"',
                "container-start deadline-exceeded container=c",
            ),
            Example(
                'failed to "StartContainer" for "c" with RunContainerError: "failed to start container \\"0a1b\\": Error response from daemon: '
                'OCI runtime create failed: container_linux.go:345: starting container process caused \\"exec: \\\\\\"serve\\\\\\": executable file not found in $PATH\\": unknown"',
                "container-start exec-not-found container=c key=serve",
            ),
        ),
    ),
    Call(
        words(
            r"OCI runtime exec failed|oci runtime error: exec failed|rpc error: code = \w+ desc = failed to exec in container|"
            r"exec failed: (?:container_linux\.go:\d{1,5}|unable to start container process)"
        ),
        "exec",
        ("exec",),
        (Seen("docker, containerd", "all"),),
        (
            Example(
                'OCI runtime exec failed: exec failed: unable to start container process: exec: "bash": executable file not found in $PATH: unknown',
                "exec exec-not-found key=bash",
            ),
            Example(
                "rpc error: code = Unknown desc = failed to exec in container: failed to start exec: cannot exec in a stopped state",
                "exec container-stopped",
            ),
            Example(
                'exec failed: container_linux.go:349: starting container process caused "exec: \\"pidof\\": executable file not found in $PATH"',
                "exec exec-not-found key=pidof",
            ),
        ),
        bare=None,
        weak=True,
    ),
)

_KILLED = (
    r"container init was OOM-killed|read init-p: connection reset by peer|write init-p: broken pipe|cannot start a container that has stopped|"
    r"container init caused: ?\"?\"?(?=\s*(?:$|\"|: unknown))|container init caused \"\"|"
    r"(?:setns|nsexec|init|child|setting cgroup config)[^\n]{0,120}signal: killed|unable to start container process[^\n]{0,200}signal: killed|"
    # The kernel cannot reclaim the memory of runc's first process below such a limit (mm/memcontrol.c, cgroup v1).
    r"memory\.limit_in_bytes: device or resource busy"
)
_KILLED_NEED = ("init", "signal: killed", "stopped", "memory.limit_in_bytes")
_BELOW = (
    r"minimum memory limit allowed is (?P<key>\d+ ?[KMG]i?B)|memory limit (?:of )?\S{1,40} (?:is )?too low; should be at least (?P<key_2>\d{1,20}|\d{1,6}[KMG]i?)|"
    r"specified memory limit too low|memory limit too low; minimum"
)
_BELOW_NEED = ("minimum memory", "too low")
_HEAD = "Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: "
# The thing that was being made, the operations in which the words mean it, and examples.
_Made = tuple[tuple[Operation, tuple[Operation, ...], tuple[Example, ...]], ...]
_KILLED_IN: _Made = (
    (
        "container-create",
        ("container-create", "container-start"),
        (
            Example(
                _HEAD + "container init was OOM-killed (memory limit too low?): unknown",
                "container-create init-killed",
            ),
            Example(
                _HEAD
                + 'error during container init: error setting cgroup config for procHooks process: failed to write "1000": '
                "write /sys/fs/cgroup/memory/kubepods/pod0a/0b/memory.limit_in_bytes: device or resource busy: unknown",
                "container-create init-killed",
            ),
            Example(
                'Error: container create failed: time="2021-06-07T12:54:21Z" level=error msg="container_linux.go:366: starting container process caused: '
                'process_linux.go:382: sending config to init process caused: write init-p: broken pipe"',
                "container-create init-killed",
            ),
        ),
    ),
    (
        "sandbox-create",
        ("sandbox-create",),
        (
            Example(
                "Failed to create pod sandbox: rpc error: code = Unknown desc = `/usr/bin/runc --root /run/runc start 0a1b` failed: "
                'time="2021-06-07T12:54:38Z" level=error msg="cannot start a container that has stopped"',
                "sandbox-create init-killed",
            ),
            Example(
                "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to start sandbox container: OCI runtime create failed: "
                'starting container process caused "process_linux.go:301: running exec setns process for init caused \\"signal: killed\\"": unknown',
                "sandbox-create init-killed",
            ),
        ),
    ),
)
_BELOW_IN: _Made = (
    (
        "container-create",
        ("container-create", "container-start"),
        (
            Example(
                "Error: Error response from daemon: Minimum memory limit allowed is 4MB",
                "container-create below-minimum key=4MB",
            ),
            Example(
                "Error: set memory limit 64 too low; should be at least 12582912",
                "container-create below-minimum key=12582912",
            ),
        ),
    ),
    (
        "sandbox-create",
        ("sandbox-create",),
        (
            Example(
                "Failed to create pod sandbox: rpc error: code = Unknown desc = set memory limit 64 too low; should be at least 12582912",
                "sandbox-create below-minimum key=12582912",
            ),
            Example(
                "Failed to create pod sandbox: rpc error: code = Unknown desc = Error response from daemon: Minimum memory limit allowed is 6MB",
                "sandbox-create below-minimum key=6MB",
            ),
        ),
    ),
)

ERRORS: tuple[Error, ...] = (
    *(
        Error(
            words(_KILLED),
            "init-killed",
            _KILLED_NEED,
            (Seen("runc", "1.0–1.3", _RUNC), Seen("docker, containerd, cri-o", "all")),
            examples,
            Rank.NAMED,
            operation if operation == "container-create" else None,
            within,
            takes_over=operation == "container-create",
        )
        for operation, within, examples in _KILLED_IN
    ),
    *(
        Error(
            words(_BELOW),
            "below-minimum",
            _BELOW_NEED,
            (
                Seen("docker", "1.9–28", "daemon/daemon_unix.go"),
                Seen("cri-o", "1.14–1.33", "server/container_create.go"),
            ),
            examples,
            Rank.NAMED,
            operation if operation == "container-create" else None,
            within,
            takes_over=operation == "container-create",
        )
        for operation, within, examples in _BELOW_IN
    ),
    Error(
        words(r"(?:^|[\s:])(?:exe|runc:\[\d:[A-Z]{4,6}\]) invoked oom-killer"),
        "init-killed",
        ("invoked oom-killer",),
        (
            Seen(
                "kernel",
                "3.10–6.x",
                "mm/oom_kill.c (dump_header); the process is runc's own, before the program runs",
            ),
        ),
        (
            Example(
                "Aug  8 15:40:29 n-1 kernel: exe invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=-999",
                "container-create init-killed",
            ),
            Example(
                "[81.1] runc:[2:INIT] invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0",
                "container-create init-killed",
            ),
        ),
        Rank.NAMED,
        "container-create",
    ),
    Error(
        words(
            r"exec: \"(?P<path>[^\"/]{0,255}/[^\"]{1,4096})\": (?:stat [^\n]{1,4096}?: )?no such file or directory|"
            # A program that is called by another has no container's process around these words: see below.
            rf"container process\b[^\n]{{0,80}}?{_NOT_IN_PATH}|"
            r"exec \"?(?P<path_2>/[^\"\s:]{1,4096})\"?: no such file or directory|exec user process caused:? \"?no such file or directory"
        ),
        "exec-not-found",
        ("no such file", "executable file not found"),
        (Seen("runc", "0.1–1.3", "libcontainer/standard_init_linux.go"), Seen("Go os/exec", "all")),
        (
            Example(
                _HEAD + 'exec: "/app/server": stat /app/server: no such file or directory: unknown',
                "container-start exec-not-found path=/app/server",
            ),
            Example(
                _HEAD + 'exec: "./serve": stat ./serve: no such file or directory: unknown',
                "container-start exec-not-found path=./serve",
            ),
            Example(
                'Liveness probe failed: OCI runtime exec failed: exec failed: exec: "/bin/ps aux | grep x": stat /bin/ps aux | grep x: no such file or directory',
                "probe-liveness exec-not-found path=/bin/ps aux | grep x",
            ),
            Example(
                'starting container process caused "exec: \\"serve\\": executable file not found in $PATH"',
                "container-start exec-not-found key=serve",
            ),
            Example(
                'Error: failed to create containerd task: failed to start shim: exec: "containerd-shim-runc-v2": executable file not found in $PATH',
                "",
            ),
            Example(
                'standard_init_linux.go:195: exec user process caused "no such file or directory"',
                "container-start exec-not-found",
            ),
            Example(
                "standard_init_linux.go:228: exec user process caused: no such file or directory",
                "container-start exec-not-found",
            ),
        ),
        Rank.NAMED,
        "container-start",
    ),
    Error(
        words(_NOT_IN_PATH),
        "exec-not-found",
        ("executable file not found",),
        (Seen("Go os/exec", "all"),),
        (
            Example(
                'Liveness probe errored: rpc error: code = Unknown desc = failed to exec in container: exec: "grpc_health_probe": executable file not found in $PATH',
                "probe-liveness exec-not-found key=grpc_health_probe",
            ),
            Example(
                _HEAD + 'exec: "till": executable file not found in $PATH: unknown',
                "container-start exec-not-found key=till",
            ),
            Example('getting credentials: exec: "tsh": executable file not found in $PATH', ""),
        ),
        Rank.NAMED,
    ),
    Error(
        words(r"no command specified"),
        "no-command",
        ("no command specified",),
        (
            Seen("docker", "1.0–28", "daemon/create.go, runconfig/errors.go"),
            Seen("containerd", "1.1–2.1", "internal/cri/server/container_create_linux.go"),
            Seen("cri-o", "1.10–1.33", "server/container_create.go"),
        ),
        (
            Example("Error: Error response from daemon: No command specified", "container-create no-command"),
            Example(
                'Error: failed to generate container "0a1b" spec: failed to generate spec: no command specified',
                "container-create no-command",
            ),
        ),
        Rank.NAMED,
        "container-create",
        within=("container-create", "container-start", "sandbox-create"),
    ),
    Error(
        words(
            r"exec: \"(?P<path>[^\"]{1,4096})\": permission denied|exec \"?(?P<path_2>/[^\"\s:]{1,4096})\"?: permission denied|exec: \"(?P<path_3>[^\"]{1,4096})\": is a directory|"
            r"exec user process caused:? \"?permission denied"
        ),
        "not-executable",
        ("permission denied", "is a directory"),
        (Seen("runc", "0.1–1.3", "libcontainer/standard_init_linux.go"),),
        (
            Example(
                _HEAD + 'exec: "/app/run.sh": permission denied: unknown',
                "container-start not-executable path=/app/run.sh",
            ),
            Example(
                "standard_init_linux.go:228: exec user process caused: permission denied",
                "container-start not-executable",
            ),
            Example(
                'Liveness probe failed: OCI runtime exec failed: exec failed: exec: "/check": permission denied: unknown',
                "probe-liveness not-executable path=/check",
            ),
        ),
        Rank.NAMED,
        "container-start",
    ),
    Error(
        words(r"(?:exec \"?(?P<path>/[^\"\s:]{1,4096})\"?: )?(?<!': )exec format error"),
        "exec-format",
        ("exec format error",),
        (Seen("runc, shells", "all"),),
        (
            Example(
                "standard_init_linux.go:228: exec user process caused: exec format error",
                "container-start exec-format",
            ),
            Example(
                _HEAD + "exec /app/server: exec format error", "container-start exec-format path=/app/server"
            ),
        ),
        Rank.NAMED,
        "container-start",
    ),
    Error(
        words(
            r"cannot exec in a stopped (?:state|container)|container not found or no such process|container destroyed|no such container|"
            r"no running task found: task [0-9a-f]{12,64} not found|container is in CONTAINER_(?:EXITED|CREATED|UNKNOWN) state|"
            r"Container [0-9a-f]{12,64} is not running|container not running \([0-9a-f]{12,64}\)|container is not created or running"
        ),
        "container-stopped",
        (
            "stopped",
            "no such process",
            "destroyed",
            "no such container",
            "no running task",
            "container_",
            "not running",
            "or running",
        ),
        (
            Seen("docker", "all", "daemon/exec.go"),
            Seen("kubelet (dockershim)", "1.3–1.23", "pkg/kubelet/dockershim/docker_streaming.go"),
            Seen("containerd", "1.0–2.1", "internal/cri/server/container_execsync.go"),
            Seen("cri-o", "1.0–1.33", "server/container_execsync.go"),
        ),
        (
            Example(
                "OCI runtime exec failed: exec failed: cannot exec in a stopped container: unknown",
                "exec container-stopped",
            ),
            Example(
                "Liveness probe errored: rpc error: code = Unknown desc = Error: No such container: 0a1b",
                "probe-liveness container-stopped",
            ),
            Example(
                "Readiness probe errored: rpc error: code = NotFound desc = failed to exec in container: failed to load task: "
                "no running task found: task 0a1b2c3d4e5f not found: not found",
                "probe-readiness container-stopped",
            ),
            Example(
                "Readiness probe errored and resulted in unknown state: rpc error: code = Unknown desc = container is in CONTAINER_EXITED state",
                "probe-readiness container-stopped",
            ),
            Example(
                "Readiness probe errored: rpc error: code = NotFound desc = container is not created or running: "
                "checking if PID of 0a1b2c3d4e5f is running failed: container process not found",
                "probe-readiness container-stopped",
            ),
            Example(
                "Liveness probe errored: failed to run in container - Exec setup failed - API error (500): Container 0a1b2c3d4e5f is not running",
                "probe-liveness container-stopped",
            ),
            Example(
                "Readiness probe errored: rpc error: code = Unknown desc = container not running (0a1b2c3d4e5f)",
                "probe-readiness container-stopped",
            ),
        ),
        Rank.NAMED,
        within=(
            "exec",
            "pre-stop",
            "post-start",
            "probe-liveness",
            "probe-readiness",
            "probe-startup",
            "container-stop",
            "sync",
        ),
    ),
)
