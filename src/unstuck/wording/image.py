"""Pulling images: where it went wrong (name, DNS, connection, TLS, credentials, limit), whatever the runtime.

docker, containerd and CRI-O wrap the same few words of Go's net, net/http and crypto/tls and of the registry's JSON errors.
Back-off is the kubelet waiting, never a cause: alone it gives nothing, with an inner error that error.
"""

from __future__ import annotations

from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

PULL = ("image-pull",)
_URL = r"(?:(?:Get|Head|Post|Put) \"?https?://(?P<host>[^/\s\"]{1,255})[^\s\"]{0,2048}\"?: )"
_TRANSPORT = r"(?:(?:dial|read|write) (?:tcp|udp)(?: [^\s]{1,100}(?:->[^\s]{1,100})?)?: )?"
_NET = "Go net, net/http"


def registry_of(image: str) -> str:
    """`reg.example:5000/a/b:1` → `reg.example:5000`; `nginx` → `docker.io` (distribution/reference: a first part with a dot, a port or localhost)."""
    first, slash, _ = image.removeprefix("docker-pullable://").partition("/")
    return first if slash and ("." in first or ":" in first or first == "localhost") else "docker.io"


CALLS: tuple[Call, ...] = (
    Call(
        words(
            r"(?:Failed to pull image|Error response from daemon: .{0,40}pulling image configuration|(?:Back-off pulling image(?=[^\n]{1,1024}(?:ErrImagePull|rpc error)))|PullImage) "
            r"\"(?P<image>[^\"\s]{1,512})\"(?: from image service failed)?"
        ),
        "image-pull",
        ("failed to pull image", "back-off pulling image", "pullimage"),
        (Seen("kubelet", "1.5–1.34", "pkg/kubelet/images/image_manager.go"),),
        (
            Example(
                'Failed to pull image "127.0.0.1:5999/nope:1": failed to pull and unpack image "127.0.0.1:5999/nope:1": failed to resolve reference '
                '"127.0.0.1:5999/nope:1": failed to do request: Head "http://127.0.0.1:5999/v2/nope/manifests/1": dial tcp 127.0.0.1:5999: connect: connection refused',
                "image-pull connection-refused host=127.0.0.1:5999 object=Image/127.0.0.1:5999/nope:1",
            ),
            Example(
                'Back-off pulling image "r.example/a:1": ErrImagePull: rpc error: code = Unknown desc = failed to do request: '
                'Head "https://r.example/v2/a/manifests/1": dial tcp: lookup r.example on 10.0.0.2:53: no such host',
                "image-pull no-such-host host=r.example object=Image/r.example/a:1",
            ),
            Example('Back-off pulling image "r.example/a:1"', ""),
        ),
    ),
    Call(
        words(
            r"failed to \"?StartContainer\"? for \"(?P<container>[^\"]{1,253})\" with (?:ErrImagePull|ImagePullBackOff|RegistryUnavailable)"
            r"(?=[^\n]{0,1024}(?:failed|rpc error|ErrImagePull:))"
        ),
        "image-pull",
        ("errimagepull", "imagepullbackoff", "registryunavailable"),
        (Seen("kubelet", "1.5–1.34", "pkg/kubelet/container/sync_result.go"),),
        (
            Example(
                'failed to "StartContainer" for "c" with ErrImagePull: "rpc error: code = NotFound desc = failed to pull and unpack image '
                '\\"docker.io/library/nginx:nope\\": failed to resolve reference \\"docker.io/library/nginx:nope\\": docker.io/library/nginx:nope: not found"',
                "image-pull not-found container=c host=docker.io object=Image/docker.io/library/nginx:nope",
            ),
            Example(
                'failed to "StartContainer" for "c" with ErrImagePull: "rpc error: code = Unknown desc = failed to do it: toomanyrequests: slow down"',
                "image-pull rate-limited container=c",
            ),
            Example('failed to "StartContainer" for "c" with ImagePullBackOff: "Back-off pulling image \\"a\\""', ""),
        ),
    ),
    Call(
        words(
            r"(?:failed to pull and unpack image|failed to pull image|failed to resolve reference|failed to get sandbox image|pinging (?:container|docker) registry|reading manifest) "
            r"\"?(?P<image>[^\"\s:]{1,255}(?::[^\"\s]{1,255})?)\"?"
        ),
        "image-pull",
        ("failed to pull", "failed to resolve reference", "sandbox image", "pinging", "reading manifest"),
        (
            Seen("containerd", "1.2–2.1", "internal/cri/server/images/image_pull.go"),
            Seen("cri-o", "1.13–1.33", "containers/image docker/docker_client.go"),
        ),
        weak=True,
        examples=(
            Example(
                'failed to pull and unpack image "r.example/a:1": failed to copy: httpReadSeeker: failed open: unexpected status code '
                "https://r.example/v2/a/blobs/sha256:1: 429 Too Many Requests - Server message: toomanyrequests: limit",
                "image-pull rate-limited host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'failed to resolve reference "r.example/a:1": pull access denied, repository does not exist or may require authorization: '
                "server message: insufficient_scope: authorization failed",
                "image-pull not-found-or-denied host=r.example object=Image/r.example/a:1",
            ),
        ),
    ),
)

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
            + r"(?:i/o timeout|TLS handshake timeout|no route to host|network is unreachable|net/http: request canceled[^\n]{0,80}|context deadline exceeded \(Client\.Timeout[^\n)]{0,80}\))"
        ),
        "timeout",
        ("timeout", "no route to host", "unreachable", "request canceled"),
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
    Error(
        words(_URL + r"?(?:tls: failed to verify certificate: )?x509: [^\n]{1,120}"),
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
        words(_URL + r"?http: server gave HTTP response to HTTPS client"),
        "plain-http",
        ("http response to https",),
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
        ),
        Rank.NAMED,
    ),
    Error(
        words(r"toomanyrequests|429 Too Many Requests|You have reached your (?:unauthenticated )?pull rate limit"),
        "rate-limited",
        ("toomanyrequests", "429", "pull rate limit"),
        (Seen("registries", "2020 on"),),
        (
            Example(
                'Failed to pull image "a/b": rpc error: code = Unknown desc = Error response from daemon: toomanyrequests: You have reached your pull rate limit.',
                "image-pull rate-limited host=docker.io object=Image/a/b",
            ),
            Example(
                'Failed to pull image "a/b": rpc error: code = Unknown desc = Error reading manifest 1 in docker.io/a/b: toomanyrequests: slow',
                "image-pull rate-limited host=docker.io object=Image/a/b",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
    Error(
        words(
            r"pull access denied[^\n]{0,80}?(?:repository does not exist|may require)|repository \S{1,255} not found: does not exist or no pull access|"
            r"(?:insufficient_scope: )?authorization failed|requested access to the resource is denied"
        ),
        "not-found-or-denied",
        ("pull access", "authorization failed", "access to the resource is denied"),
        (Seen("registries", "all"),),
        (
            Example(
                "Failed to pull image \"a/b\": rpc error: code = Unknown desc = Error response from daemon: pull access denied for a/b, repository does not exist or may require 'docker login'",
                "image-pull not-found-or-denied host=docker.io object=Image/a/b",
            ),
            Example(
                'Failed to pull image "a/b": rpc error: code = 2 desc = Error: image a/b not found: repository a/b not found: does not exist or no pull access',
                "image-pull not-found-or-denied host=docker.io object=Image/a/b",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
    Error(
        words(
            r"401 Unauthorized|no basic auth credentials|unauthorized: [^\n]{0,80}|invalid username/password|incorrect username or password|authentication required"
        ),
        "unauthorized",
        ("unauthorized", "no basic auth", "username", "authentication required"),
        (Seen("registries", "all"),),
        (
            Example(
                'Failed to pull image "r.example/a": failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://r.example/token: 401 Unauthorized',
                "image-pull unauthorized host=r.example object=Image/r.example/a",
            ),
            Example(
                'Failed to pull image "r.example/a": rpc error: code = Unknown desc = Error response from daemon: Get https://r.example/v2/a/manifests/1: no basic auth credentials',
                "image-pull unauthorized host=r.example object=Image/r.example/a",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
    Error(
        words(r"403 Forbidden|denied: [^\n]{1,120}"),
        "forbidden",
        ("403 forbidden", "denied: "),
        (Seen("registries", "all"),),
        (
            Example(
                'failed to resolve reference "r.example/a:1": unexpected status from HEAD request to https://r.example/v2/a/manifests/1: 403 Forbidden',
                "image-pull forbidden host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a": rpc error: code = Unknown desc = denied: Permission "read" denied',
                "image-pull forbidden host=r.example object=Image/r.example/a",
            ),
        ),
        within=PULL,
    ),
    Error(
        words(
            r"manifest unknown|manifest for \S{1,512} not found|name unknown|(?<=: )not found(?=[\s\",]|$)|code = NotFound(?! desc)|repository name not known"
        ),
        "not-found",
        ("manifest", "name unknown", "not found", "notfound", "not known"),
        (Seen("registries, containerd", "all"),),
        (
            Example(
                'Failed to pull image "nginx:nope": rpc error: code = Unknown desc = Error response from daemon: manifest for nginx:nope not found: manifest unknown: manifest unknown',
                "image-pull not-found host=docker.io object=Image/nginx:nope",
            ),
            Example(
                'Failed to pull image "r.example/a:1": failed to resolve reference "r.example/a:1": r.example/a:1: not found',
                "image-pull not-found host=r.example object=Image/r.example/a:1",
            ),
        ),
        within=PULL,
    ),
    Error(
        words(r"no match for platform in manifest|no matching manifest for \S{1,60}"),
        "platform-missing",
        ("no match for platform", "no matching manifest"),
        (Seen("containerd, docker", "all"),),
        (
            Example(
                'Failed to pull image "r.example/a:1": failed to pull and unpack image "r.example/a:1": no match for platform in manifest: not found',
                "image-pull platform-missing host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "a/b": rpc error: code = Unknown desc = no matching manifest for linux/arm64 in the manifest list entries',
                "image-pull platform-missing host=docker.io object=Image/a/b",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
    Error(
        words(r"is not present with pull policy of Never"),
        "never-pulled",
        ("pull policy of never",),
        (Seen("kubelet", "1.2–1.34", "pkg/kubelet/images/image_manager.go"),),
        (
            Example('Container image "r.example/a:1" is not present with pull policy of Never', "image-pull never-pulled"),
            Example('Error: ErrImageNeverPull: Container image "a" is not present with pull policy of Never', "image-pull never-pulled"),
        ),
        Rank.NAMED,
        "image-pull",
    ),
    Error(
        words(r"couldn't parse image (?:name|reference)|invalid reference format"),
        "name-invalid",
        ("parse image", "invalid reference format"),
        (Seen("kubelet, distribution", "all", "pkg/kubelet/images/image_manager.go"),),
        (
            Example(
                'Failed to apply default image tag "A B:1": couldn\'t parse image name "A B:1": invalid reference format',
                "image-pull name-invalid",
            ),
            Example(
                'Error: InvalidImageName: couldn\'t parse image reference "r:5/x:": invalid reference format', "image-pull name-invalid"
            ),
        ),
        Rank.NAMED,
        "image-pull",
    ),
)
