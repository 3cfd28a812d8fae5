"""Image pulls: the attempts, for every runtime.

docker, containerd and CRI-O wrap the same few errors of Go's net, net/http and crypto/tls and of the registry's JSON.
Back-off is the kubelet waiting, never a cause: alone it yields nothing, with an inner error it yields that error.
"""

from __future__ import annotations

from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.pattern import Call, Error, Example, Seen, words

# A sandbox's own image is pulled by the runtime, before any image of the Pod.
PULL: tuple[Operation, ...] = ("image-pull", "sandbox-image-pull")
# Up to 1.6 the kubelet said so of every pull that failed, whether credentials were at fault or not.
_CREDENTIALS_PERHAPS = r"image pull failed for (?P<image>[^\s,\"]{1,512}), this may be because there are no credentials on this request\."


def parse_registry(image: str) -> str:
    """Return `reg.example:5000/a/b:1` → `reg.example:5000`; `nginx` → `docker.io` (distribution/reference: a first part with a dot, a port
    or localhost).
    """
    first, slash, _ = image.removeprefix("docker-pullable://").partition("/")
    return first if slash and ("." in first or ":" in first or first == "localhost") else "docker.io"


CALLS: tuple[Call, ...] = (
    Call(
        words(
            r"(?:(?-i:Failed to pull image)|Error response from daemon: .{0,40}pulling image configuration|(?:Back-off pulling image(?=[^\n]{1,1024}(?:ErrImagePull|rpc error)))|PullImage) "
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
        (Seen("kubelet", "1.5–1.34", "pkg/kubelet/container/sync_result.go, pkg/kubelet/images/types.go"),),
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
            Example(
                'failed to "StartContainer" for "c" with ImagePullBackOff: "Back-off pulling image \\"a\\""',
                "",
            ),
        ),
    ),
    Call(
        words(r"Download failed(?:, retrying(?: \(\d{1,3}/\d{1,3}\))?| after \d{1,3} attempts): "),
        "image-pull",
        ("download failed",),
        (Seen("docker", "1.10–28", "distribution/xfer/download.go"),),
        (
            Example(
                "Download failed after 1 attempts: open /data/docker/tmp/GetImageBlob1655640392: no such file or directory",
                "image-pull ENOENT path=/data/docker/tmp/GetImageBlob1655640392",
            ),
            Example(
                "Download failed, retrying (1/5): write /var/lib/docker/tmp/GetImageBlob159490514: no space left on device",
                "image-pull ENOSPC path=/var/lib/docker/tmp/GetImageBlob159490514",
            ),
        ),
    ),
    Call(
        words(_CREDENTIALS_PERHAPS),
        "image-pull",
        ("this may be because there are no credentials",),
        (Seen("kubelet", "1.0–1.6", "pkg/kubelet/dockertools/docker.go"),),
        (
            Example(
                'Failed to pull image "r.example/a:1": image pull failed for r.example/a:1, this may be because there are no credentials on this request.  '
                "details: (Tag 1 not found in repository r.example/a)",
                "image-pull not-found host=r.example object=Image/r.example/a:1",
            ),
            Example(
                "image pull failed for r.example/a:1, this may be because there are no credentials on this request.  details: (API error (500):  "
                "v1 ping attempt failed with error: Get https://r.example/v1/_ping: dial tcp 10.0.0.9:443: i/o timeout.",
                "image-pull timeout host=r.example object=Image/r.example/a:1",
            ),
        ),
    ),
    Call(
        words(r"Failed to create pod infra container: " + _CREDENTIALS_PERHAPS),
        "sandbox-image-pull",
        ("pod infra container",),
        (Seen("kubelet", "1.0–1.5", "pkg/kubelet/dockertools/docker_manager.go"),),
        (
            Example(
                "Failed to create pod infra container: image pull failed for r.example/pause:0.8.0, this may be because there are no credentials on this "
                "request.  details: (API error (500):  v1 ping attempt failed with error: Get https://r.example/v1/_ping: dial tcp 10.0.0.9:443: i/o timeout.",
                "sandbox-image-pull timeout host=r.example object=Image/r.example/pause:0.8.0",
            ),
            Example(
                "Failed to create pod infra container: image pull failed for r.example/pause:3.0, this may be because there are no credentials on this "
                "request.  details: (Error: image pause:3.0 not found); Skipping pod",
                "sandbox-image-pull other host=r.example object=Image/r.example/pause:3.0",
            ),
        ),
    ),
    # The pause image: wrapped in a sandbox error, and not one of the Pod's own images.
    Call(
        words(
            r"(?:failed to (?:get|inspect) sandbox image|failed pulling image|creating pod sandbox with name \"[^\"]{1,400}\": (?:Error )?initializing source docker://)"
            r" ?\"?(?P<image>[^\"\s:]{1,255}(?::\d{1,5}/[^\"\s:]{1,255})?(?::[\w.-]{1,128})?(?:@sha256:[0-9a-f]{64})?)\"?"
        ),
        "sandbox-image-pull",
        ("sandbox image", "failed pulling image", "creating pod sandbox with name"),
        (
            Seen("containerd", "1.2–2.1", "internal/cri/server/sandbox_run.go"),
            Seen(
                "kubelet (dockershim)",
                "1.6–1.23",
                "pkg/kubelet/dockershim/helpers.go (ensureSandboxImageExists)",
            ),
            Seen("cri-o", "1.13–1.33", "server/sandbox_run_linux.go"),
        ),
        (
            Example(
                'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox image "r.example/pause:3.9": failed to pull image "r.example/pause:3.9": '
                'failed to pull and unpack image "r.example/pause:3.9": failed to resolve reference "r.example/pause:3.9": failed to do request: '
                'Head "https://r.example/v2/pause/manifests/3.9": dial tcp 10.0.0.9:443: i/o timeout',
                "sandbox-image-pull timeout host=r.example object=Image/r.example/pause:3.9",
            ),
            Example(
                f'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox image "r.example:5000/pause:3.9@sha256:{"0a" * 32}": '
                "pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials",
                f"sandbox-image-pull no-credentials host=r.example:5000 object=Image/r.example:5000/pause:3.9@sha256:{'0a' * 32}",
            ),
            Example(
                'Failed create pod sandbox: rpc error: code = Unknown desc = failed pulling image "r.example/pause:3.1": Error response from daemon: '
                "Get https://r.example/v2/: dial tcp 10.0.0.9:443: getsockopt: connection refused",
                "sandbox-image-pull connection-refused host=r.example object=Image/r.example/pause:3.1",
            ),
            Example(
                'Failed create pod sandbox: rpc error: code = Unknown desc = failed to inspect sandbox image "r.example/pause:3.0\\"": Error response from daemon: '
                'no such image: r.example/pause:3.0": invalid reference format',
                "sandbox-image-pull name-invalid host=r.example object=Image/r.example/pause:3.0",
            ),
            Example(
                'Failed to create pod sandbox: rpc error: code = Unknown desc = error creating pod sandbox with name "k8s_p_f_u_0": initializing source docker://r.example/pause:3.9: '
                "reading manifest 3.9 in r.example/pause: manifest unknown",
                "sandbox-image-pull not-found host=r.example object=Image/r.example/pause:3.9",
            ),
        ),
    ),
    # The request itself shows that it is a pull, if its surroundings do not.
    Call(
        words(
            r"(?:failed to do request|Error response from daemon): (?=(?:Head|Get) \"?https?://[^/\s\"]{1,255}/v2/[^\s\"]{1,1024}/(?:manifests|blobs)/)"
        ),
        "image-pull",
        ("failed to do request", "error response from daemon"),
        (
            Seen("containerd", "1.2–2.1", "core/remotes/docker/resolver.go"),
            Seen("docker", "1.10–27", "distribution/pull_v2.go"),
        ),
        bare=None,
        weak=True,
        examples=(
            Example(
                "failed to do request: Head https://r.example/v2/a/b/manifests/1: x509: certificate signed by unknown authority",
                "image-pull certificate-untrusted host=r.example",
            ),
            Example(
                "Error response from daemon: Get https://r.example/v2/a/manifests/1: no basic auth credentials",
                "image-pull no-credentials",
            ),
        ),
    ),
    Call(
        words(
            r"(?:failed to pull and unpack image|failed to pull image|failed to resolve reference|pinging (?:container|docker) registry|reading manifest) "
            r"[\"`]?(?P<image>[^\"`\s:]{1,255}(?::[^\"`\s]{1,255})?)[\"`]?"
        ),
        "image-pull",
        ("failed to pull", "failed to resolve reference", "pinging", "reading manifest"),
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

ERRORS: tuple[Error, ...] = ()
