"""Probes and lifecycle hooks. Output of a probe's command is foreign text: it only shows that the probe
failed.

Source: pkg/kubelet/prober/prober.go, pkg/kubelet/kuberuntime/kuberuntime_{manager,container}.go (1.34); 1.11
and older word the kill differently.
"""

from __future__ import annotations

from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_PROBES: tuple[Operation, ...] = ("probe-liveness", "probe-readiness", "probe-startup")
_PROBER = "pkg/kubelet/prober/prober.go, pkg/kubelet/prober/prober_manager.go"
# For either hook; only the event's reason names it. The command is printed unchanged, with its own brackets
# and lines.
_HOOK = (
    r"(?:Exec lifecycle hook \(\[[\s\S]{0,2000}?\]\) for Container \"(?P<container>[^\"]{1,253})\" in Pod \"[^\"]{1,400}\" failed|"
    r"Http lifecycle hook \([^\n]{0,400}?\) for Container \"(?P<container_2>[^\"]{1,253})\"[^\n]{0,400}? failed)"
)
_OUTCOME = r" probe (?:failed|errored)(?: and resulted in \w{1,20} state)?:"


def _make_probe_call(name: str, operation: Operation) -> Call:
    low = name.lower()
    return Call(
        words(rf"{name}{_OUTCOME}"),
        operation,
        (f"{low} probe",),
        (Seen("kubelet", "1.2–1.34", _PROBER),),
        (
            Example(f"{name} probe failed: ", f"probe-{low} failed"),
            Example(
                f"{name} probe failed: HTTP probe failed with statuscode: 503",
                f"probe-{low} http-status key=503",
            ),
            Example(
                f'{name} probe failed: Get "http://10.1.0.7:80/": dial tcp 10.1.0.7:80: connect: connection refused',
                f"probe-{low} connection-refused host=10.1.0.7:80",
            ),
            Example(
                f"{name} probe errored and resulted in unknown state: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
                f"probe-{low} deadline-exceeded",
            ),
        ),
        bare="failed",
    )


def _make_kill_call(low: str, operation: Operation) -> Call:
    old = (
        Example(
            "Killing container with id docker://c:Container failed liveness probe.. Container will be killed and recreated.",
            "probe-liveness killed",
        ),
    )
    older = (
        Example(
            'Killing container with id docker://c:pod "p_f(u)" container "c" is unhealthy, it will be killed and re-created.',
            "probe-liveness killed container=c",
        ),
    )
    also = rf"|Init container (?P<container_3>[a-z0-9-]{{1,63}}) failed {low} probe"
    also += (
        r"|container \"(?P<container_2>[^\"]{1,253})\" is unhealthy, it will be killed"
        if low == "liveness"
        else ""
    )
    return Call(
        words(
            rf"Container (?:(?P<container>[a-z0-9-]{{1,63}}) )?failed {low} probe(?:, will be restarted|\.{{1,2}} Container will be killed){also}"
        ),
        operation,
        (f"failed {low} probe", "is unhealthy"),
        (
            Seen("kubelet", "1.12–1.34", "pkg/kubelet/kuberuntime/kuberuntime_manager.go"),
            Seen("kubelet", "1.2–1.11"),
        ),
        (
            Example(f"Container c failed {low} probe, will be restarted", f"probe-{low} killed container=c"),
            Example(
                f"Container web-1 failed {low} probe, will be restarted",
                f"probe-{low} killed container=web-1",
            ),
            # A sidecar's.
            Example(f"Init container proxy failed {low} probe", f"probe-{low} killed container=proxy"),
            *(old + older if low == "liveness" else ()),
        ),
        bare="killed",
    )


CALLS: tuple[Call, ...] = (
    _make_probe_call("Liveness", "probe-liveness"),
    _make_probe_call("Readiness", "probe-readiness"),
    _make_probe_call("Startup", "probe-startup"),
    _make_kill_call("liveness", "probe-liveness"),
    _make_kill_call("startup", "probe-startup"),
    Call(
        words(
            rf"{_HOOK}|preStop hook for container \"(?P<container_3>[^\"]{{1,253}})\" failed|PreStopHook failed"
        ),
        "pre-stop",
        ("lifecycle hook", "prestop"),
        (
            Seen("kubelet", "1.20–1.34", "pkg/kubelet/kuberuntime/kuberuntime_container.go"),
            Seen("kubelet", "1.5–1.26", "pkg/kubelet/lifecycle/handlers.go"),
        ),
        (
            Example("PreStopHook failed", "pre-stop failed"),
            Example(
                'Exec lifecycle hook ([/bin/sleep 30]) for Container "task" in Pod "task-569f_x(2b8e5882)" failed - error: command \'/bin/sleep 30\' exited with 126: , message: '
                '"rpc error: code = 2 desc = oci runtime error: exec failed: container_linux.go:240: creating new parent process caused \\"container_linux.go:1254: running lstat on '
                'namespace path \\\\\\"/proc/30849/ns/ipc\\\\\\" caused \\\\\\"lstat /proc/30849/ns/ipc: no such file or directory\\\\\\"\\"\\n\\r\\n"',
                "pre-stop ENOENT container=task path=/proc/30849/ns/ipc",
            ),
            Example(
                "preStop hook for container \"task\" failed: command '/bin/sleep 30' exited with 126: ",
                "pre-stop exit-126 container=task key=126",
            ),
            Example(
                'Exec lifecycle hook ([sh -c a\nif [ -e /b ]; then c; fi]) for Container "task" in Pod "p_f(u)" failed - error: command \'sh\' exited with 1: ',
                "pre-stop failed container=task",
            ),
        ),
        bare="failed",
    ),
    Call(
        words(
            rf"(?:FailedPostStartHook|PostStartHookError)\b[^\n]{{0,200}}?{_HOOK}|PostStartHook failed|PostStart hook failed|"
            r"postStart hook for container \"(?P<container_3>[^\"]{1,253})\" failed"
        ),
        "post-start",
        ("poststart",),
        (
            Seen("kubelet", "1.5–1.34", "pkg/kubelet/kuberuntime/kuberuntime_container.go"),
            Seen("kubelet", "1.5–1.26", "pkg/kubelet/lifecycle/handlers.go"),
        ),
        (
            Example("PostStartHook failed", "post-start failed"),
            Example("FailedPostStartHook: PostStart hook failed", "post-start failed"),
            Example(
                'Warning  FailedPostStartHook  5s  kubelet  Exec lifecycle hook ([sh -c ls | grep \'[a-z]*\']) for Container "c" in Pod "p_f(u)" failed - error: '
                "command 'sh -c ls' exited with 1: , message: \"\"",
                "post-start failed container=c",
            ),
            Example(
                'FailedPostStartHook: Http lifecycle hook (start) for Container "c" in Pod "p_f(u)" failed - error: Get http://10.1.0.7:80//start: EOF, message: ""',
                "post-start failed container=c",
            ),
        ),
        bare="failed",
    ),
)

ERRORS: tuple[Error, ...] = (
    # The bytes are the record of a TLS alert, a TLS server's answer to a request in plain HTTP.
    Error(
        words(r"malformed HTTP response \\?\"\\?\\x15\\?\\x03"),
        "tls-expected",
        ("malformed http response",),
        (Seen("Go net/http", "all", "src/net/http/response.go"),),
        (
            Example(
                'Readiness probe failed: Get http://10.1.0.7:8443/healthz: malformed HTTP response "\\x15\\x03\\x01\\x00\\x02\\x02"',
                "probe-readiness tls-expected",
            ),
            Example(
                'Liveness probe failed: Get "http://10.1.0.7:8443/": net/http: HTTP/1.x transport connection broken: malformed HTTP response '
                '"\\x15\\x03\\x01\\x00\\x02\\x02\\x16"',
                "probe-liveness tls-expected",
            ),
        ),
        Rank.NAMED,
        within=_PROBES,
    ),
    Error(
        words(r"HTTP probe failed with status ?code: (?P<key>\d{3})"),
        "http-status",
        ("http probe failed",),
        (Seen("kubelet", "1.2–1.34", "pkg/probe/http/http.go"),),
        (
            Example(
                "Readiness probe failed: HTTP probe failed with statuscode: 404",
                "probe-readiness http-status key=404",
            ),
            Example(
                "Liveness probe failed: HTTP probe failed with statuscode: 500",
                "probe-liveness http-status key=500",
            ),
        ),
        Rank.NAMED,
        within=_PROBES,
    ),
    Error(
        words(r"command timed out|timed out after \S{1,20}|\(Client\.Timeout[^\n)]{0,80}\)"),
        "timeout",
        ("timed out", "client.timeout"),
        (Seen("kubelet", "1.20–1.34", "pkg/probe/exec/exec.go"),),
        (
            Example(
                'Liveness probe failed: command timed out: "sh -c true" timed out after 1s',
                "probe-liveness timeout",
            ),
            Example(
                'Readiness probe failed: Get "http://10.1.0.7:80/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
                "probe-readiness timeout",
            ),
        ),
        within=_PROBES,
    ),
    Error(
        words(r"exited with (?P<key>126)(?!: , message: \"\w)"),
        "exit-126",
        ("exited with 126",),
        (Seen("kubelet", "1.5–1.26", "pkg/kubelet/lifecycle/handlers.go"),),
        (
            Example(
                "preStop hook for container \"a\" failed: command 'x' exited with 126: ",
                "pre-stop exit-126 container=a key=126",
            ),
            Example(
                'Exec lifecycle hook ([x]) for Container "a" in Pod "p" failed - error: command \'x\' exited with 126: , message: ""',
                "pre-stop exit-126 container=a key=126",
            ),
        ),
        within=("pre-stop",),
    ),
)
