"""What stands, or does not, where a volume should be: a hostPath's type, and a mount whose storage is gone when a container is made.

Source: pkg/volume/hostpath/host_path.go (checkTypeInternal, 1.8–1.34), containerd pkg/oci/spec_opts.go and internal/cri (WithMounts).
"""

from __future__ import annotations

from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_P = "/var/lib/kubelet/pods/u/volumes/kubernetes.io~csi"

CALLS: tuple[Call, ...] = ()

ERRORS: tuple[Error, ...] = (
    Error(
        words(
            r"hostPath type check failed: (?P<path>/[^\n]{0,400}?) is not a (?P<key>directory|file|socket file|character device|block device)"
            r"(?![\w-])"
        ),
        "host-path-mismatch",
        ("hostpath type check failed",),
        (Seen("kubelet", "1.8–1.34", "pkg/volume/hostpath/host_path.go (checkTypeInternal)"),),
        (
            Example(
                'MountVolume.SetUp failed for volume "r" : hostPath type check failed: /var/lib/kubelet/plugins_registry is not a directory',
                "volume-set-up host-path-mismatch key=directory path=/var/lib/kubelet/plugins_registry volume=r",
            ),
            Example(
                'MountVolume.SetUp failed for volume "f" : hostPath type check failed: /dev/fuse is not a character device',
                "volume-set-up host-path-mismatch key=character device path=/dev/fuse volume=f",
            ),
            Example(
                'MountVolume.SetUp failed for volume "s" : hostPath type check failed: /run/containerd/containerd.sock is not a socket file',
                "volume-set-up host-path-mismatch key=socket file path=/run/containerd/containerd.sock volume=s",
            ),
        ),
        Rank.NAMED,
        "volume-set-up",
        within=("volume-set-up",),
    ),
    Error(
        words(
            r"stat \"?(?P<path>/[^\s\":]{1,400}/(?:volumes/[a-z0-9.-]{1,80}~[a-z0-9-]{1,80}|volume-subpaths)/(?P<volume>[^/\s\":]{1,253})[^\s\":]{0,400})"
            r"\"?: (?:stale (?:nfs )?file handle|transport endpoint is not connected|input/output error|host is down)"
        ),
        "backend-lost",
        ("stale", "not connected", "input/output", "host is down"),
        (Seen("containerd", "1.3–2.1", "pkg/oci, internal/cri/opts (WithMounts)"),),
        (
            Example(
                f'Error: failed to generate container "0a" spec: failed to apply OCI options: failed to stat "{_P}/pvc-1/mount": stat {_P}/pvc-1/mount: '
                "stale NFS file handle",
                f"container-create backend-lost path={_P}/pvc-1/mount volume=pvc-1",
            ),
            Example(
                f'Error: failed to generate container "0b" spec: failed to generate spec: failed to stat "{_P}/pvc-2/mount": stat {_P}/pvc-2/mount: '
                "transport endpoint is not connected",
                f"container-create backend-lost path={_P}/pvc-2/mount volume=pvc-2",
            ),
        ),
        Rank.NAMED,
        "container-create",
        within=("container-create", "container-start"),
    ),
)
