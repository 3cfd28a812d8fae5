"""Errors of kubectl, or of the API server behind it, about a failed command: for the person who typed it, not
for a program.
"""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

_KUBECTL = Seen("kubectl", "1.5–1.34", "staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go")
_STREAMS = Seen("kubelet", "1.5–1.34", "pkg/kubelet/server/server.go (getExec, getPortForward)")

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "kubeconfig-missing",
        words(
            # A client without a configuration asks localhost in plain HTTP, where no cluster answers.
            r"connection to the server localhost(?::8080)? was refused"
            r"|(?:http://(?:localhost|127\.0\.0\.1|\[::1\])(?::80)?|://(?:localhost|127\.0\.0\.1|\[::1\]):8080)/(?:api|apis|version|openapi|healthz)\b"
            r"[^\n]{0,200}connection refused|no configuration has been provided, try setting KUBERNETES_MASTER"
        ),
        ("//localhost", "server localhost", "//127.0.0.1", "//[::1]", "no configuration has been provided"),
        (_KUBECTL, Seen("client-go", "1.5–1.34", "tools/clientcmd/client_config.go")),
        (
            Example(
                "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
                "kubeconfig-missing",
            ),
            Example(
                'Error: Kubernetes cluster unreachable: Get "http://localhost:8080/version": dial tcp 127.0.0.1:8080: connect: connection refused',
                "kubeconfig-missing",
            ),
            Example(
                'Error: Get "http://localhost/apis/storage.k8s.io/v1/storageclasses/fast": dial tcp 127.0.0.1:80: connect: connection refused',
                "kubeconfig-missing",
            ),
            Example(
                "error: invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable",
                "kubeconfig-missing",
            ),
        ),
    ),
    LastWord(
        "container-not-running",
        words(
            r"unable to upgrade connection: container not found \(\"(?P<name>[\w.-]{1,63})\"\)"
            r"|cannot exec (?:into a container )?in a completed pod; current phase is (?P<resource>\w{1,20})"
        ),
        ("container not found (", "in a completed pod"),
        (_STREAMS, Seen("kubectl", "1.5–1.34", "staging/src/k8s.io/kubectl/pkg/cmd/exec/exec.go")),
        (
            Example(
                'error: unable to upgrade connection: container not found ("app")',
                "container-not-running name=app",
            ),
            Example(
                "error: cannot exec into a container in a completed pod; current phase is Failed",
                "container-not-running resource=Failed",
            ),
        ),
    ),
    LastWord(
        "object-changed",
        words(
            r"Operation cannot be fulfilled on (?P<resource>[\w.-]{1,120}) \"(?P<name>[^\"]{1,253})\": the object has been modified"
        ),
        ("the object has been modified",),
        (
            Seen(
                "kube-apiserver",
                "1.5–1.34",
                "staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go (OptimisticLockErrorMsg)",
            ),
        ),
        (
            Example(
                'Error from server (Conflict): Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
                "object-changed name=web resource=deployments.apps",
            ),
            Example(
                'error: Operation cannot be fulfilled on nodes "n1": the object has been modified; please apply your changes to the latest version and try again',
                "object-changed name=n1 resource=nodes",
            ),
        ),
    ),
    LastWord(
        "kubelet-unreached",
        words(
            r"error dialing backend: (?:dial tcp:? (?:lookup )?(?P<name>[\w.-]{1,253}|\[[0-9a-f:]{2,45}\])(?::(?P<port>\d{2,5}))?[^\n]{0,200}"
            r"|No agent available|proxy error from [^\n]{1,200})"
            # Its request for a container's log, or for a session, with the kubelet's own paths.
            r"|https?://[\w.:\[\]-]{1,253}?:\d{2,5}/(?:containerLogs|exec|attach|portForward)/[^\s\"]{1,400}\"?: "
            r"dial tcp:? (?:lookup )?(?P<name_2>[\w.-]{1,253}|\[[0-9a-f:]{2,45}\])(?::(?P<port_2>\d{2,5}))?[^\n]{0,200}"
        ),
        ("error dialing backend: ", "/containerLogs/", "/exec/", "/attach/", "/portForward/"),
        (
            Seen(
                "kube-apiserver", "1.5–1.34", "staging/src/k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go"
            ),
            Seen("kube-apiserver", "1.5–1.34", "pkg/registry/core/pod/strategy.go (LogLocation)"),
        ),
        (
            Example(
                "Error from server: error dialing backend: dial tcp 10.1.2.3:10250: i/o timeout",
                "kubelet-unreached name=10.1.2.3 port=10250",
            ),
            Example(
                "Error from server: error dialing backend: dial tcp: lookup node-a on 10.0.0.2:53: no such host",
                "kubelet-unreached name=node-a",
            ),
            Example("Error from server: error dialing backend: No agent available", "kubelet-unreached"),
            Example(
                'Error from server: Get "https://10.1.2.3:10250/containerLogs/shop/web-0/app": dial tcp 10.1.2.3:10250: connect: no route to host',
                "kubelet-unreached name=10.1.2.3 port=10250",
            ),
            Example(
                "Error from server: Get https://node-a:10250/containerLogs/shop/web-0/app: dial tcp: lookup node-a on 10.0.0.2:53: no such host",
                "kubelet-unreached name=node-a",
            ),
        ),
    ),
    LastWord(
        "storage-slow",
        words(
            r"etcdserver: request timed out(?:, possibly due to (?P<resource>[\w ]{1,60}))?|etcdserver: leader changed|etcdserver: no leader"
            r"|etcdserver: too many requests"
            # A member's words about itself.
            r"|(?P<verb>failed to send out heartbeat on time)|etcdserver: (?P<verb_2>server is likely overloaded)|(?P<verb_3>slow fdatasync)\b"
            r"|(?P<verb_4>sync duration of [\d.]{1,12}m?s, expected less than \d{1,6}m?s)"
        ),
        (
            "etcdserver: request timed out",
            "etcdserver: leader changed",
            "etcdserver: no leader",
            "etcdserver: too many requests",
            "send out heartbeat",
            "likely overloaded",
            "fdatasync",
            "sync duration of",
        ),
        (Seen("etcd", "3.1–3.6", "api/v3rpc/rpctypes/error.go"),),
        (
            Example("Error from server: etcdserver: request timed out", "storage-slow"),
            Example(
                "etcdserver: request timed out, possibly due to previous leader failure",
                "storage-slow resource=previous leader failure",
            ),
            Example(
                "W | etcdserver: failed to send out heartbeat on time (exceeded the 100ms timeout for 288.915798ms)",
                "storage-slow verb=failed to send out heartbeat on time",
            ),
            Example("Error from server: etcdserver: leader changed", "storage-slow"),
        ),
    ),
)
