"""Paths that are missing, or of another type, where a volume should be: a hostPath's type, and a mount whose
storage is gone when a container is made.

Source: pkg/volume/hostpath/host_path.go (checkTypeInternal, 1.8–1.34), containerd pkg/oci/spec_opts.go and
internal/cri (WithMounts).
"""

from __future__ import annotations

from unstuck.facts.regex import POD_UID
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_ID = "cdc36717-3036-4281-ae64-8dd54e13e455"
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
    # Manual checks: the messages of coreutils and util-linux.
    Error(
        words(
            r"\b(?:cannot (?:access|open|stat|statx|remove|read)(?: directory)?|reading directory|df:|ls:|stat:|rm:|umount:)\s{1,2}['‘\"]?"
            rf"(?P<path>/[^\s'’\":]{{1,200}}/pods/(?:{POD_UID})/(?:volumes/[a-z0-9.-]{{1,80}}~[a-z0-9-]{{1,80}}|volume-subpaths)/"
            r"(?P<volume>[^/\s'’\":]{1,253})[^\s'’\":]{0,400})['’\"]?: (?:stale (?:nfs )?file handle|transport endpoint is not connected|host is down)"
        ),
        "backend-lost",
        ("stale", "not connected", "host is down"),
        (Seen("coreutils", "8–9", "src/ls.c, src/df.c, src/stat.c, src/remove.c"),),
        (
            Example(
                f"ls: cannot access '/var/lib/kubelet/pods/{_ID}/volume-subpaths/pvc-1/c/0': Transport endpoint is not connected",
                f"volume-access backend-lost path=/var/lib/kubelet/pods/{_ID}/volume-subpaths/pvc-1/c/0 volume=pvc-1",
            ),
            Example(
                f"df: /var/lib/kubelet/pods/{_ID}/volumes/kubernetes.io~nfs/data: Stale file handle",
                f"volume-access backend-lost path=/var/lib/kubelet/pods/{_ID}/volumes/kubernetes.io~nfs/data volume=data",
            ),
        ),
        Rank.NAMED,
        "volume-access",
        within=("volume-access",),
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
    Error(
        words(r"couldn't find loopback device which takes file descriptor lock"),
        "mount-not-shared",
        ("couldn't find loopback",),
        (
            Seen(
                "kubelet",
                "1.9–1.34",
                "pkg/volume/util/volumepathhandler/volume_path_handler_linux.go (DetachFileDevice)",
            ),
        ),
        (
            Example(
                'couldn\'t find loopback device which takes file descriptor lock. Skip detaching device. device path: "/k/plugins/p/volumeDevices/v/u"',
                "volume-tear-down mount-not-shared",
            ),
            Example(
                '"couldn\'t find loopback device which takes file descriptor lock. Skip detaching device" device path="/k/v"',
                "volume-tear-down mount-not-shared",
            ),
        ),
        Rank.NAMED,
        "volume-tear-down",
    ),
    Error(
        words(
            r"path \"?(?P<path>/[^\s\"]{0,400})\"? is mounted on \"?/[^\s\"]{0,400}\"? but it is not a shared(?: or slave)? mount"
        ),
        "mount-not-shared",
        ("not a shared",),
        (Seen("docker, containerd, runc", "1.10–27", "oci/oci_linux.go, pkg/oci/mounts.go"),),
        (
            Example(
                'Error: failed to start container "c": Error response from daemon: path /var/lib/kubelet/pods/u/volumes/v is mounted on / but it is not a shared mount.',
                "container-start mount-not-shared container=c path=/var/lib/kubelet/pods/u/volumes/v",
            ),
            Example(
                'Error: failed to generate container "0a" spec: path "/data/k" is mounted on "/" but it is not a shared or slave mount',
                "container-create mount-not-shared path=/data/k",
            ),
            Example(
                'Error: failed to generate container "0a" spec: failed to generate spec: path "/" is mounted on "/" but it is not a shared or slave mount',
                "container-create mount-not-shared path=/",
            ),
        ),
        Rank.NAMED,
        "container-create",
        within=("container-start", "container-create", "sandbox-create", "volume-set-up"),
    ),
)
