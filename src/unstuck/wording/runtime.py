"""The container runtime's own log: containers that do not die, logs that cannot be written.

Source: docker daemon/{kill,stop,monitor}.go and daemon/logger (17.03–28), field notes.
"""

from __future__ import annotations

from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_ID = "61d62bbf5484" + "0a" * 26

CALLS: tuple[Call, ...] = (
    Call(
        # crictl without a configuration tries the sockets of all runtimes, dockershim's first: a silent
        # socket says nothing about the Node.
        words(
            r"(?<!Kubelet: )(?:validate service connection|unable to determine (?:runtime|image) API version)[^\n]{0,300}?/run/dockershim\.sock"
        ),
        "endpoint-guess",
        ("dockershim.sock",),
        (Seen("crictl", "1.22–1.30", "cmd/crictl/main.go (getRuntimeService)"),),
        (
            Example(
                'validate service connection: validate CRI v1 runtime API for endpoint "unix:///var/run/dockershim.sock": rpc error: code = Unavailable desc = connection error: '
                'desc = "transport: Error while dialing: dial unix /var/run/dockershim.sock: connect: no such file or directory"',
                "",
            ),
            Example(
                'unable to determine runtime API version: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing dial unix '
                '/var/run/dockershim.sock: connect: no such file or directory"',
                "",
            ),
        ),
        bare=None,
    ),
    Call(
        words(r"validate service connection|unable to determine (?:runtime|image) API version"),
        "runtime-ready",
        ("validate service connection", "api version"),
        (Seen("kubelet, crictl", "1.22–1.34", "cri-client/pkg/remote_runtime.go"),),
        (
            Example(
                'validate service connection: validate CRI v1 runtime API for endpoint "unix:///run/containerd/containerd.sock": rpc error: code = Unimplemented desc = '
                "unknown service runtime.v1.RuntimeService",
                "runtime-ready version-mismatch key=runtime.v1.RuntimeService",
            ),
            Example(
                'validate service connection: validate CRI v1 runtime API for endpoint "unix:///run/crio/crio.sock": rpc error: code = Unavailable desc = connection error: '
                'desc = "transport: Error while dialing: dial unix /run/crio/crio.sock: connect: connection refused"',
                "runtime-ready runtime-gone path=/run/crio/crio.sock",
            ),
        ),
    ),
    Call(
        # Its first goroutine has been reading back the containers for minutes: it serves no request before
        # that is complete.
        words(
            r"goroutine 1 (?:gp=\S{1,32} m=\S{1,32} (?:mp=\S{1,32} )?)?\[[^\]\n]{1,60}, (?:[2-9]|\d{2,6}) minutes(?:, [^\]\n]{1,40})?\]:"
            r"(?:\n[^\n]{0,1000}){0,60}?\n[^\n]{0,200}/daemon\.\(\*Daemon\)\.restore\("
        ),
        "runtime-start",
        ("goroutine 1 ",),
        (Seen("dockerd", "1.11–28", "daemon/daemon.go (NewDaemon, restore)"),),
        (
            Example(
                "goroutine 1 [semacquire, 61 minutes]:\nsync.runtime_Semacquire(0xc0001f2a08)\n/usr/local/go/src/runtime/sema.go:56 +0x42\n"
                "sync.(*WaitGroup).Wait(0xc0001f2a00)\n/usr/local/go/src/sync/waitgroup.go:130 +0x64\n"
                "github.com/docker/docker/daemon.(*Daemon).restore(0xc00031a000, 0x0, 0x0)\n"
                "/go/src/github.com/docker/docker/daemon/daemon.go:513 +0x66e\ngithub.com/docker/docker/daemon.NewDaemon(0x1, 0x2)",
                "runtime-start start-hangs",
            ),
            Example(
                "goroutine 1 [chan receive, 2 minutes, locked to thread]:\n"
                "github.com/docker/docker/daemon.(*Daemon).restore(0xc420096000, 0x0)\n/root/engine/daemon/daemon.go:203 +0xd15",
                "runtime-start start-hangs",
            ),
            # Near misses: one minute may be normal with many containers; a serving daemon has another goroutine 1.
            Example(
                "goroutine 1 [semacquire, 1 minutes]:\ngithub.com/docker/docker/daemon.(*Daemon).restore(0xc42009a480)",
                "",
            ),
            Example(
                "goroutine 1 [chan receive, 9 minutes]:\nmain.(*DaemonCli).start(0xc4203d6000)\n/go/src/cmd/dockerd/daemon.go:284 +0x1a",
                "",
            ),
        ),
        bare="start-hangs",
    ),
    Call(
        words(
            r"Container \S{1,100} failed to exit within \d{1,6}s?(?: seconds)? of kill - trying direct SIGKILL"
        ),
        "container-stop",
        ("of kill - trying direct sigkill",),
        (Seen("dockerd", "1.12–20.10", "daemon/kill.go"),),
        (
            Example(
                'level=info msg="Container 61d62bbf5484 failed to exit within 10 seconds of kill - trying direct SIGKILL"',
                "container-stop survives-kill",
            ),
            Example(
                "Container 0a1b failed to exit within 10s of kill - trying direct SIGKILL",
                "container-stop survives-kill",
            ),
        ),
        bare="survives-kill",
    ),
    Call(
        words(r"Failed to log msg \"[^\n]{0,400}?\" for logger [\w-]{1,40}"),
        "log-write",
        ("failed to log m",),
        (Seen("dockerd", "17.03–20.10", "daemon/logger/copier.go"),),
        (
            Example(
                'level=error msg="Failed to log msg \\"\\" for logger json-file: write /opt/docker/containers/5492/5492-json.log: no space left on device"',
                "log-write ENOSPC path=/opt/docker/containers/5492/5492-json.log",
            ),
            Example(
                'Failed to log msg "x" for logger json-file: write /d/a-json.log: input/output error',
                "log-write EIO path=/d/a-json.log",
            ),
        ),
    ),
    Call(
        words(r"kill container \S{1,100}: container init still running"),
        "container-stop",
        ("container init still running",),
        (Seen("docker-runc", "1.0", "libcontainer/container_linux.go"),),
        (
            Example(
                "kill container 61d62bbf5484: container init still running",
                "container-stop init-still-running",
            ),
            Example(
                "runc: kill container 0a: container init still running", "container-stop init-still-running"
            ),
        ),
        bare="init-still-running",
    ),
    Call(
        words(
            r"(?:ContainerStatus|PodSandboxStatus)(?: \"?(?P<key>[0-9a-f]{64})\"?)? from runtime service failed"
            r"(?:[^\n]{0,600}?(?:container|podSandbox)ID=\"?(?P<key_2>[0-9a-f]{64}))?"
            r"|(?:ContainerStatus|PodSandboxStatus) for \"(?P<key_3>[0-9a-f]{64})\" failed"
        ),
        "container-inspect",
        ("containerstatus", "podsandboxstatus"),
        (
            Seen("kubelet", "1.6–1.36", "cri-client/pkg/remote_runtime.go, before it pkg/kubelet/cri/remote"),
            Seen("containerd", "1.2–2.1", "internal/cri/instrument/instrumented_service.go"),
        ),
        (
            Example(
                '"ContainerStatus from runtime service failed" err="rpc error: code = DeadlineExceeded desc = context deadline exceeded" '
                f'containerID="{_ID}"',
                f"container-inspect deadline-exceeded key={_ID}",
            ),
            Example(
                f'ContainerStatus "{_ID}" from runtime service failed: rpc error: code = Unknown desc = operation timeout: context deadline exceeded',
                f"container-inspect deadline-exceeded key={_ID}",
            ),
            Example(
                f'level=error msg="ContainerStatus for \\"{_ID}\\" failed" error="context deadline exceeded"',
                f"container-inspect deadline-exceeded key={_ID}",
            ),
        ),
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        words(r"dockershim\.sock: connect: (?:no such file or directory|connection refused)"),
        "",
        ("dockershim.sock: connect",),
        (Seen("crictl", "1.22–1.30", "cmd/crictl/main.go (getRuntimeService)"),),
        (
            Example(
                "unable to determine image API version: rpc error: code = Unavailable desc = connection error: desc = "
                '"transport: Error while dialing dial unix /var/run/dockershim.sock: connect: no such file or directory"',
                "",
            ),
            Example(
                'validate service connection: CRI v1 image API is not implemented for endpoint "unix:///var/run/dockershim.sock": rpc error: code = Unavailable desc = '
                'connection error: desc = "transport: error while dialing: dial unix /var/run/dockershim.sock: connect: connection refused"',
                "",
            ),
        ),
        Rank.NAMED,
        within=("endpoint-guess",),
    ),
    Error(
        words(r"an error occurred when try to find (?:container|sandbox)|No such container"),
        "",
        ("error occurred when try to find", "no such container"),
        (Seen("containerd", "1.2–2.1", "internal/cri/server/container_status.go"), Seen("dockerd", "all")),
        (
            Example(
                '"ContainerStatus from runtime service failed" err="rpc error: code = NotFound desc = an error occurred when try to find '
                f'container \\"{_ID}\\": not found" containerID="{_ID}"',
                "",
            ),
            Example(
                f'ContainerStatus "{_ID}" from runtime service failed: rpc error: code = Unknown desc = Error: No such container: {_ID}',
                "",
            ),
        ),
        Rank.NAMED,
        within=("container-inspect",),
    ),
    Error(
        words(
            r"(?:container has runAsNonRoot and image (?:will run as root|has non-numeric user|has an invalid user id)|container's runAsUser breaks non-root policy)"
            r"(?:[^\n]{0,300}?\(pod: \"[^\"\n]{1,400}\", container: (?P<container>[a-z0-9-]{1,63})\))?"
        ),
        "run-as-root",
        ("runasnonroot", "runasuser breaks"),
        (Seen("kubelet", "1.5–1.34", "pkg/kubelet/kuberuntime/security_context_others.go"),),
        (
            Example(
                'Error: container has runAsNonRoot and image will run as root (pod: "a_b(87f2acd7-3438-44ae-a4a3-2c812a578f4b)", container: c)',
                "container-create run-as-root container=c",
            ),
            Example(
                "container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root",
                "container-create run-as-root",
            ),
            Example(
                'Error: container\'s runAsUser breaks non-root policy (pod: "p_f(u)", container: c)',
                "container-create run-as-root container=c",
            ),
        ),
        Rank.NAMED,
        "container-create",
    ),
)
