"""Errors of a runtime that cannot reach a registry: DNS, connection, TLS.

Go's net, net/http and crypto/tls, as docker, containerd and CRI-O wrap them.
"""

from __future__ import annotations

from unstuck.wording.image import PULL
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_URL = r"(?:(?:Get|Head|Post|Put) \"?https?://(?P<host>[^/\s\"]{1,255})[^\s\"]{0,2048}\"?: )"
_TRANSPORT = (
    r"(?:proxyconnect tcp: )?(?:(?:dial|read|write) (?:tcp|udp)(?: [^\s]{1,100}(?:->[^\s]{1,100})?)?: )?"
)
_NET = "Go net, net/http"

CALLS: tuple[Call, ...] = ()

ERRORS: tuple[Error, ...] = (
    Error(
        words(_URL + r"?" + _TRANSPORT + r"(?:connect: )?connection refused"),
        "connection-refused",
        ("connection refused",),
        (Seen(_NET, "all"),),
        (
            Example(
                'Failed to pull image "r.example/a": Get https://r.example/v2/: dial tcp 10.0.0.9:443: getsockopt: connection refused',
                "image-pull connection-refused host=r.example object=Image/r.example/a",
            ),
            Example(
                'Liveness probe failed: Get "http://10.1.0.7:8080/healthz": dial tcp 10.1.0.7:8080: connect: connection refused',
                "probe-liveness connection-refused host=10.1.0.7:8080",
            ),
        ),
    ),
    Error(
        words(_URL + r"?" + _TRANSPORT + r"(?:connect: )?no route to host"),
        "EHOSTUNREACH",
        ("no route to host",),
        (Seen(_NET, "all"),),
        (
            Example(
                'Failed to pull image "r.example/a": Head "https://r.example/v2/a/manifests/1": dial tcp 10.0.0.9:443: connect: no route to host',
                "image-pull EHOSTUNREACH host=r.example object=Image/r.example/a",
            ),
            Example(
                'Readiness probe failed: Get "http://10.1.0.7:8080/ready": dial tcp 10.1.0.7:8080: connect: no route to host',
                "probe-readiness EHOSTUNREACH host=10.1.0.7:8080",
            ),
        ),
    ),
    Error(
        words(_URL + r"?" + _TRANSPORT + r"(?:connect: )?network is unreachable"),
        "ENETUNREACH",
        ("network is unreachable",),
        (Seen(_NET, "all"),),
        (
            Example(
                'Failed to pull image "r.example/a": Head "https://r.example/v2/a/manifests/1": dial tcp 10.0.0.9:443: connect: network is unreachable',
                "image-pull ENETUNREACH host=r.example object=Image/r.example/a",
            ),
            Example(
                '"Failed to ensure lease exists, will retry" err="Get \\"https://10.0.0.1:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n-1?timeout=10s\\": dial tcp 10.0.0.1:6443: connect: network is unreachable" interval="7s"',
                "node-report ENETUNREACH host=10.0.0.1:6443",
            ),
        ),
    ),
    # Above the words for a connection: here it is the name server that cannot be reached.
    Error(
        words(
            _URL
            + r"?(?:proxyconnect tcp: )?dial (?:tcp|udp): lookup (?P<host_2>[^\s:]{1,253})(?: on [^\s]{1,60})?: "
            + r"(?:(?:read|write|dial) udp \S{1,120}: )?(?:(?:read|write|connect): )?(?:i/o timeout|connection refused|network is unreachable|no route to host|operation not permitted)"
        ),
        "no-such-host",
        ("lookup ",),
        (Seen("Go net", "all", "src/net/dnsclient_unix.go"),),
        (
            Example(
                'Failed to pull image "r.example/a": Head "https://r.example/v2/a/manifests/latest": dial tcp: lookup r.example on 10.0.0.2:53: '
                "read udp 10.0.0.7:4711->10.0.0.2:53: i/o timeout",
                "image-pull no-such-host host=r.example object=Image/r.example/a",
            ),
            Example(
                'Failed to pull image "r.example/a": rpc error: code = Unknown desc = Error response from daemon: Get https://r.example/v2/: '
                "dial tcp: lookup r.example on [::1]:53: read udp [::1]:4711->[::1]:53: read: connection refused",
                "image-pull no-such-host host=r.example object=Image/r.example/a",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
    Error(
        words(
            _URL
            + r"?"
            + _TRANSPORT
            + r"(?:lookup (?P<host_2>[^\s:]{1,253})(?: on [^\s]{1,60})?: )(?:[^\n]{0,60}: )?(?:no such host|server misbehaving|Temporary failure in name resolution)"
        ),
        "no-such-host",
        ("no such host", "server misbehaving", "name resolution"),
        (Seen("Go net", "all", "src/net/net.go"),),
        (
            Example(
                'Failed to pull image "r.example/a": Head "https://r.example/v2/a/manifests/latest": dial tcp: lookup r.example on 10.0.0.2:53: no such host',
                "image-pull no-such-host host=r.example object=Image/r.example/a",
            ),
            Example(
                'Failed to pull image "r.example/a": pinging container registry r.example: Get "https://r.example/v2/": dial tcp: lookup r.example: Temporary failure in name resolution',
                "image-pull no-such-host host=r.example object=Image/r.example/a",
            ),
        ),
    ),
    Error(
        words(
            _URL
            + r"?"
            + _TRANSPORT
            + r"(?:i/o timeout|TLS handshake timeout|net/http: request canceled[^\n]{0,80}|context deadline exceeded \(Client\.Timeout[^\n)]{0,80}\))"
        ),
        "timeout",
        ("timeout", "request canceled"),
        (Seen(_NET, "all"),),
        (
            Example(
                'Failed to pull image "r.example/a": Get "https://r.example/v2/": dial tcp 10.0.0.9:443: i/o timeout',
                "image-pull timeout host=r.example object=Image/r.example/a",
            ),
            Example(
                'Failed to pull image "r.example/a": Get https://r.example/v2/: net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
                "image-pull timeout host=r.example object=Image/r.example/a",
            ),
        ),
    ),
    # The connection was cut after an answer: ranked below every more specific error.
    Error(
        words(
            _URL
            + r"?"
            + _TRANSPORT
            + r"(?:read: |write: )?(?:connection reset by peer|broken pipe)|"
            + _URL.replace("<host>", "<host_2>")
            + r"EOF(?![\w:])|"
            + _URL.replace("<host>", "<host_3>")
            + r"(?:http2: client connection lost|(?:read|write) tcp [^\s\"]{1,100}: use of closed network connection)"
        ),
        "connection-cut",
        ("connection reset by peer", "broken pipe", "eof", "connection lost", "closed network"),
        (Seen(_NET, "all"),),
        (
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = failed to pull and unpack image "r.example/a:1": failed to copy: '
                "read tcp 10.0.0.7:60982->10.0.0.9:443: read: connection reset by peer",
                "image-pull connection-cut host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a": rpc error: code = Unknown desc = Error response from daemon: Get "https://r.example/v2/": EOF',
                "image-pull connection-cut host=r.example object=Image/r.example/a",
            ),
            Example(
                '"Error updating node status, will retry" err="error getting node \\"n1\\": Get \\"https://10.0.0.1:6443/api/v1/nodes/n1?timeout=10s\\": '
                'write tcp 10.0.0.7:60982->10.0.0.1:6443: use of closed network connection"',
                "node-report connection-cut host=10.0.0.1:6443",
            ),
        ),
        within=(*PULL, "node-report"),
    ),
    Error(
        words(_URL + r"?(?:proxyconnect tcp: )?(?:tls: failed to verify certificate: )?x509: [^\n]{1,120}"),
        "certificate-untrusted",
        ("x509:",),
        (Seen("Go crypto/x509", "all"),),
        (
            Example(
                'Failed to pull image "r.example/a": Get https://r.example/v2/: x509: certificate signed by unknown authority',
                "image-pull certificate-untrusted host=r.example object=Image/r.example/a",
            ),
            Example(
                'Failed to pull image "r.example/a": Head "https://r.example/v2/a/manifests/1": tls: failed to verify certificate: x509: certificate is valid for a, not b',
                "image-pull certificate-untrusted host=r.example object=Image/r.example/a",
            ),
        ),
        Rank.NAMED,
    ),
    Error(
        words(
            _URL
            + r"?(?:proxyconnect tcp: )?(?:http: server gave HTTP response to HTTPS client|tls: first record does not look like a TLS handshake)"
        ),
        "plain-http",
        ("http response to https", "does not look like a tls handshake"),
        (Seen("Go net/http", "all"),),
        (
            Example(
                'Failed to pull image "r.example:5000/a": Get https://r.example:5000/v2/: http: server gave HTTP response to HTTPS client',
                "image-pull plain-http host=r.example:5000 object=Image/r.example:5000/a",
            ),
            Example(
                'failed to resolve reference "r.example:5000/a:1": failed to do request: Head "https://r.example:5000/v2/a/manifests/1": http: server gave HTTP response to HTTPS client',
                "image-pull plain-http host=r.example:5000 object=Image/r.example:5000/a:1",
            ),
            Example(
                'failed to resolve reference "r.example:5000/a:1": failed to do request: Head "https://r.example:5000/v2/a/manifests/1": tls: first record does not look like a TLS handshake',
                "image-pull plain-http host=r.example:5000 object=Image/r.example:5000/a:1",
            ),
        ),
        Rank.NAMED,
    ),
)
