"""Faults that keep a runtime from creating a sandbox or a container: the runtime itself, its version, its metadata.

Source: containerd internal/cri/server and internal/registrar, docker daemon/errors.go, cri-o internal/oci,
bbolt, k8s.io/cri-client remote_runtime.go; pkg/kubelet (1.34).
"""

from __future__ import annotations

from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.image import PULL
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

CREATIONS: tuple[Operation, ...] = ("sandbox-create", "container-create", "container-start")
_ANY: tuple[Operation, ...] = (
    *CREATIONS,
    "network-set-up",
    "image-pull",
    "sync",
    "runtime-ready",
    "kubelet-start",
    "status-read",
)
_S = "Failed to create pod sandbox: rpc error: code = Unknown desc = "

CALLS: tuple[Call, ...] = ()

ERRORS: tuple[Error, ...] = (
    Error(
        words(
            r"dial unix (?P<path>/[^\s:\"]{0,200}(?:containerd|crio|cri-dockerd|dockershim|docker)[^\s:\"]{0,60}\.sock): connect: (?:connection refused|no such file or directory)|"
            r"Cannot connect to the Docker daemon at unix://(?P<path_2>/[^\s\"]{1,200}?)\. Is the docker daemon running"
        ),
        "runtime-gone",
        ("dial unix", "cannot connect to the docker daemon"),
        (
            Seen("Go net, under gRPC to the runtime (1.5–1.34)", "all", "src/net/net.go (OpError)"),
            Seen("kubelet (dockershim)", "1.5–1.23"),
        ),
        (
            Example(
                'Failed to create pod sandbox: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix '
                '/run/containerd/containerd.sock: connect: connection refused"',
                "sandbox-create runtime-gone path=/run/containerd/containerd.sock",
            ),
            Example(
                f'{_S}failed to create a sandbox for pod "p": Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
                "sandbox-create runtime-gone path=/var/run/docker.sock",
            ),
        ),
        Rank.NAMED,
        "runtime-ready",
        within=_ANY,
    ),
    Error(
        words(
            r"failed to reserve (?:sandbox|container) name \"(?P<key>[^\"]{1,400})\"|name \"(?P<key_2>[^\"]{1,400})\" is reserved for|"
            r"pod sandbox with name \"?(?P<key_3>[^\"\s]{1,400})\"? already exists|"
            r"(?:the )?container name \"(?P<key_4>[^\"]{1,400})\" is already in use by (?:ID )?\"?[0-9a-f]{12,64}|error reserving (?:ctr|pod) name (?P<key_5>\S{1,400})"
        ),
        "name-conflict",
        ("failed to reserve", "is reserved for", "already exists", "is already in use by", "error reserving"),
        (
            Seen(
                "containerd",
                "1.0–2.1",
                "internal/cri/server/container_create.go, internal/registrar/registrar.go",
            ),
            Seen("cri-o", "1.11–1.33", "internal/lib/container_server.go"),
        ),
        (
            Example(
                'Error: failed to reserve container name "c_p_f_u_0": name "c_p_f_u_0" is reserved for "0a1b"',
                "container-create name-conflict key=c_p_f_u_0",
            ),
            Example(
                f'{_S}failed to reserve sandbox name "p_f_u_0": name "p_f_u_0" is reserved for "0a1b"',
                "sandbox-create name-conflict key=p_f_u_0",
            ),
            Example(
                f'{_S}pod sandbox with name "k8s_p_f_u_0" already exists',
                "sandbox-create name-conflict key=k8s_p_f_u_0",
            ),
        ),
        Rank.NAMED,
        "container-create",
        within=CREATIONS,
    ),
    Error(
        words(r"failed to find runtime handler (?P<key>\S{1,100}) from runtime list"),
        "handler-missing",
        ("failed to find runtime handler",),
        (Seen("cri-o", "1.14–1.33", "internal/oci/oci.go (ValidateRuntimeHandler)"),),
        (
            Example(
                f"{_S}failed to find runtime handler kata from runtime list map[runc:0xc0]",
                "sandbox-create handler-missing key=kata",
            ),
            Example(
                f"{_S}failed to find runtime handler nvidia from runtime list map[crun:0xc0]",
                "sandbox-create handler-missing key=nvidia",
            ),
            Example(
                "failed to find runtime handler gvisor from runtime list map[runc:x]",
                "sandbox-create handler-missing key=gvisor",
            ),
        ),
        Rank.NAMED,
        within=("sandbox-create",),
        operation="sandbox-create",
    ),
    Error(
        # Any caller: the kubelet, crictl, kubeadm, critest, a device plugin.
        words(r"unknown service (?P<key>runtime\.v1(?:alpha2)?\.(?:Runtime|Image)Service)"),
        "version-mismatch",
        ("unknown service",),
        (Seen("grpc-go", "1", "server.go (handleStream), as kubelet and crictl hand it on"),),
        (
            Example(
                "Failed to create pod sandbox: rpc error: code = Unimplemented desc = unknown service runtime.v1alpha2.RuntimeService",
                "sandbox-create version-mismatch key=runtime.v1alpha2.RuntimeService",
            ),
            Example(
                "FATA[0000] listing containers: rpc error: code = Unimplemented desc = unknown service runtime.v1.RuntimeService",
                "runtime-ready version-mismatch key=runtime.v1.RuntimeService",
            ),
            Example(
                "getting status of runtime: rpc error: code = Unimplemented desc = unknown service runtime.v1alpha2.RuntimeService",
                "runtime-ready version-mismatch key=runtime.v1alpha2.RuntimeService",
            ),
            Example(
                "pulling image: rpc error: code = Unimplemented desc = unknown service runtime.v1alpha2.ImageService",
                "runtime-ready version-mismatch key=runtime.v1alpha2.ImageService",
            ),
        ),
        Rank.NAMED,
        "runtime-ready",
    ),
    Error(
        words(
            r"client version (?P<key_2>[\d.]{1,10}) is too (?:old|new)|"
            r"client is newer than server|(?:unsupported|unknown) (?:ociVersion|OCI version)|failed to start shim: [^\n]{0,200}unsupported protocol|"
            r"json: cannot unmarshal \w{1,20} into Go (?:value|struct field) [^\n]{0,80}(?:specs|Linux|Process|Seccomp)|"
            r"validate CRI v1 runtime API for endpoint|flag provided but not defined: -(?P<key_3>[\w-]{1,40})"
        ),
        "version-mismatch",
        (
            "client version",
            "client is newer",
            "ociversion",
            "oci version",
            "unsupported protocol",
            "cannot unmarshal",
            "validate cri",
            "flag provided",
        ),
        (
            Seen("kubelet", "1.20–1.34", "cri-client/pkg/remote_runtime.go"),
            Seen("docker", "1.10–28", "api/server/middleware/version.go"),
            Seen("containerd-shim, runc", "1.0–2.1"),
        ),
        (
            Example(
                f"{_S}Error response from daemon: client version 1.23 is too old. Minimum supported API version is 1.24",
                "sandbox-create version-mismatch key=1.23",
            ),
            Example(
                f"{_S}Error response from daemon: client version 1.52 is too new. Maximum supported API version is 1.51",
                "sandbox-create version-mismatch key=1.52",
            ),
        ),
        Rank.NAMED,
        within=_ANY,
    ),
    Error(
        words(
            r"parent snapshot (?P<key>\S{1,100}) does not exist|failed to stat parent: stat (?P<path>/[^\s:]{1,400}): no such file|"
            r"layer does not exist|failed to (?:get|load) (?:snapshot|metadata)[^\n]{0,120}(?:bucket|bolt)|"
            r"stat (?P<path_2>/[^\s:]{1,200}/overlay2/[0-9a-f]{64}): no such file or directory"
        ),
        "metadata-corrupt",
        (
            "parent snapshot",
            "failed to stat parent",
            "layer does not exist",
            "failed to get snapshot",
            "failed to load",
            "/overlay2/",
        ),
        (
            Seen("containerd", "1.2–2.1", "core/metadata/snapshot.go, plugins/snapshots/overlay"),
            Seen("docker", "1.12–27", "daemon/internal/layer/layer.go"),
        ),
        (
            Example(
                "Error: failed to create containerd container: parent snapshot sha256:0a1b does not exist: not found",
                "container-create metadata-corrupt key=sha256:0a1b",
            ),
            Example(
                f"{_S}failed to create containerd container: failed to stat parent: stat /c/io.containerd.snapshotter.v1.overlayfs/snapshots/7/fs: no such file or directory",
                "sandbox-create metadata-corrupt path=/c/io.containerd.snapshotter.v1.overlayfs/snapshots/7/fs",
            ),
            # A layer whose parent layer is gone.
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = failed to pull and unpack image "r.example/a:1": failed to unpack image on '
                'snapshotter overlayfs: failed to prepare extraction snapshot "extract-8-D sha256:0a": failed to stat parent: stat /c/snapshots/7/fs: no such file or directory',
                "image-pull metadata-corrupt host=r.example object=Image/r.example/a:1 path=/c/snapshots/7/fs",
            ),
        ),
        Rank.NAMED,
        "container-create",
        within=(*CREATIONS, *PULL),
    ),
    # During an image pull the same words mean an image format that this runtime does not support (schema 1).
    Error(
        words(r"content digest (?P<key>sha256:[0-9a-f]{64}): not found"),
        "metadata-corrupt",
        ("content digest",),
        (
            Seen(
                "containerd",
                "1.2–2.1",
                "core/content/adaptor.go, plugins/content/local/store.go, core/images/image.go",
            ),
        ),
        (
            Example(
                f"{_S}failed to create containerd container: error unpacking image: failed to resolve rootfs: content digest sha256:{'0a' * 32}: not found",
                f"sandbox-create metadata-corrupt key=sha256:{'0a' * 32}",
            ),
            Example(
                f"Error: failed to create containerd container: error unpacking image: content digest sha256:{'0b' * 32}: not found",
                f"container-create metadata-corrupt key=sha256:{'0b' * 32}",
            ),
        ),
        Rank.NAMED,
        "container-create",
        within=CREATIONS,
    ),
    Error(
        # etcd uses such a database too: the speaker shows which data is damaged.
        words(
            r"panic: invalid page type: \d|panic: assertion failed: [Pp]age (?:expected to be: |\d{1,20}: has unexpected type/flags)|panic: page \d{1,20} already freed|"
            r"failed to recover state: failed to get metadata for stored sandbox \\{0,3}\"(?P<key>[^\"\\\s]{1,100})"
        ),
        "metadata-corrupt",
        ("panic: invalid page type", "panic: assertion failed", "panic: page", "failed to recover state"),
        (
            Seen("bbolt", "1.2–1.4", "db.go, internal/common/page.go"),
            Seen("containerd", "2.0–2.1", "internal/cri/server/restart.go"),
        ),
        (
            Example("panic: invalid page type: 4: 10", "runtime-start metadata-corrupt"),
            Example(
                "panic: assertion failed: Page expected to be: 3393, but self identifies as 6868074383292906018",
                "runtime-start metadata-corrupt",
            ),
            Example(
                'level=fatal msg="Failed to run CRI service" error="failed to recover state: failed to get metadata for stored sandbox \\"0a1b\\": not found"',
                "runtime-start metadata-corrupt key=0a1b",
            ),
        ),
        Rank.NAMED,
        "runtime-start",
        takes_over=True,
    ),
    Error(
        # A crash in the code of its database, with any panic message: the database's content is corrupt.
        words(
            r"(?:panic: |fatal error: |unexpected fault address )[^\n]{0,400}\n(?:[^\n]{0,400}\n){0,11}?"
            r"\s{0,8}goroutine \d{1,9} (?:gp=[^\[\n]{1,80})?\[running[^\]\n]{0,60}\]:\n(?:[^\n]{0,1000}\n){0,10}?"
            r"\s{0,8}\S{0,200}(?:go\.etcd\.io|boltdb|coreos)/b?bolt\.\(\*"
        ),
        "metadata-corrupt",
        ("bolt.(*",),
        (
            Seen("Go runtime", "1.9–1.24", "src/runtime/panic.go, traceback.go"),
            Seen("bbolt", "1.2–1.4", "cursor.go, bucket.go"),
        ),
        (
            Example(
                "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x8 pc=0x5626b983c259]\n\n"
                "goroutine 55 [running]:\ngithub.com/containerd/containerd/vendor/go.etcd.io/bbolt.(*Bucket).Cursor(...)\n\t/go/src/bucket.go:84\n",
                "runtime-start metadata-corrupt",
            ),
            Example(
                "panic: unexpected end of page\n\ngoroutine 69 [running]:\npanic(0x55, 0xc0)\n\t/usr/lib/go/panic.go:884\n"
                "go.etcd.io/bbolt.(*Cursor).search(0xc000530fe0, 0x7f7c3c366040)\n\t/go/pkg/mod/go.etcd.io/bbolt@v1.3.7/cursor.go:250 +0x355\n",
                "runtime-start metadata-corrupt",
            ),
            # It waits there, and has not fallen.
            Example("goroutine 7 [semacquire, 5 minutes]:\ngo.etcd.io/bbolt.(*DB).beginRWTx(0xc0)\n", ""),
        ),
        Rank.NAMED,
        "runtime-start",
        takes_over=True,
    ),
)
