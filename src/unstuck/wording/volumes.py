"""Volume errors of the kubelet, CSI drivers and runtimes, apart from those of mount(8) and fsck(8).

Source: pkg/volume and pkg/kubelet/kubelet_pods.go (1.34), container-storage-interface spec.md, runc libcontainer/rootfs_linux.go.
"""

from __future__ import annotations

from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_SET_UP: tuple[Operation, ...] = ("volume-set-up",)
_ATTACH: tuple[Operation, ...] = ("volume-attach",)
_STARTS: tuple[Operation, ...] = ("container-start", "container-create", "sandbox-create")
_V = 'MountVolume.SetUp failed for volume "v" : '
_D = 'MountVolume.MountDevice failed for volume "d" : rpc error: code = Internal desc = '

CALLS: tuple[Call, ...] = (
    Call(
        words(
            r"failed to prepare subPath for volumeMount \"(?P<volume>[^\"]{1,253})\" of container \"(?P<container>[^\"]{1,253})\""
        ),
        "container-create",
        ("failed to prepare subpath",),
        (Seen("kubelet", "1.9–1.34", "pkg/kubelet/kubelet_pods.go"),),
        (
            Example(
                'Error: failed to prepare subPath for volumeMount "conf" of container "web"',
                "container-create subpath-not-prepared container=web volume=conf",
            ),
            Example(
                'failed to prepare subPath for volumeMount "d" of container "c"',
                "container-create subpath-not-prepared container=c volume=d",
            ),
        ),
        bare="subpath-not-prepared",
    ),
    Call(
        words(r"applyFSGroup failed for vol (?P<volume>\S{1,253}):"),
        "volume-set-up",
        ("applyfsgroup failed",),
        (Seen("kubelet", "1.14–1.34", "pkg/volume/csi/csi_mounter.go"),),
        (
            Example(
                f"{_V}applyFSGroup failed for vol vol-1: lchown /k/mount/.snapshot: operation not permitted",
                "volume-set-up ownership-refused path=/k/mount/.snapshot volume=vol-1",
            ),
            Example(
                f"{_V}applyFSGroup failed for vol nfs-2: chown /k/mount: permission denied",
                "volume-set-up ownership-refused path=/k/mount volume=nfs-2",
            ),
        ),
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        words(r"rpc error: code = PermissionDenied desc ="),
        "access-denied",
        ("permissiondenied",),
        (Seen("CSI drivers", "1.0–1.9"),),
        (
            Example(
                f"{_V}rpc error: code = PermissionDenied desc = no", "volume-set-up access-denied volume=v"
            ),
            Example(
                f"{_V}rpc error: code = PermissionDenied desc = mount failed: exit status 32",
                "volume-set-up access-denied volume=v",
            ),
        ),
        Rank.NAMED,
        within=_SET_UP,
    ),
    Error(
        words(
            r"\b(?:l?chown|chmod)\s{1,4}(?P<path>/[^\s:]{1,400}): (?:operation not permitted|permission denied|read-only file system)"
        ),
        "ownership-refused",
        ("chown", "chmod"),
        (Seen("kubelet", "1.5–1.34", "pkg/volume/volume_linux.go"),),
        (
            Example(
                f"{_V}chown /k/v: operation not permitted",
                "volume-set-up ownership-refused path=/k/v volume=v",
            ),
            Example(
                f"{_V}lchown /k/v/.snapshot: operation not permitted",
                "volume-set-up ownership-refused path=/k/v/.snapshot volume=v",
            ),
        ),
        Rank.NAMED,
        within=_SET_UP,
    ),
    Error(
        words(r"(?<!special device )path \\{0,3}\"(?P<path>/[^\"\\\n]{1,1000})\\{0,3}\" does not exist"),
        "local-path-missing",
        ("does not exist",),
        (Seen("kubelet", "1.10–1.34", "pkg/volume/util/hostutil/hostutil.go (getFileType)"),),
        (
            Example(
                'MountVolume.NewMounter initialization failed for volume "pv-1" : path "/mnt/disks/ssd1" does not exist',
                "volume-set-up local-path-missing path=/mnt/disks/ssd1 volume=pv-1",
            ),
            Example(
                '"Error: MapVolume.NewMounter initialization failed" volume "local-pv-7a" : path \\"/dev/disk/by-id/scsi-1\\" does not exist',
                "volume-set-up local-path-missing path=/dev/disk/by-id/scsi-1",
            ),
        ),
        Rank.NAMED,
        within=_SET_UP,
    ),
    Error(
        words(
            r"transport endpoint is not connected|stale (?:nfs )?file handle|no such device or address|input/output error|"
            # A machine that the cloud does not know is not the volume.
            r"rpc error: code = NotFound desc = (?![^\n]{0,300}?\b(?:node|instance|vm|server)\b)[^\n]{0,200}?(?:volume|disk)[^\n]{0,120}(?:not found|does not exist)|"
            r"special device (?P<path>/[^\s:]{1,400}) does not exist|(?:(?<!kernel module \(1\) )(?<!rbd error output: )(?<!map failed: )|\(exit status (?!6\))\d{1,3}\) occurred while running rbd args: [^\n]{0,1200}?)rbd: sysfs write failed(?![\s\S]{0,200}?RBD image feature set mismatch)|InvalidVolume\.NotFound|"
            r"can't find the device path|failed to find device path|"
            # mount.ceph(8), by its versions.
            r"mount error: no mds (?:server|\(Metadata Server\)) is up|mount error 110 = Connection timed out"
        ),
        "backend-lost",
        (
            "not connected",
            "stale",
            "no such device",
            "input/output",
            "notfound",
            "special device",
            "rbd: sysfs",
            "device path",
            "mount error",
        ),
        (
            Seen("kubelet, mount(8), CSI drivers", "1.5–1.34"),
            Seen("AWS EBS CSI", "1.x", "pkg/cloud/cloud.go"),
        ),
        (
            Example(
                f"{_V}stat /k/v: transport endpoint is not connected", "volume-set-up backend-lost volume=v"
            ),
            Example(
                f"{_D}mount: /k/g: special device /dev/longhorn/p does not exist.",
                "volume-set-up backend-lost path=/dev/longhorn/p volume=d",
            ),
            Example(
                'AttachVolume.Attach failed for volume "p" : rpc error: code = NotFound desc = volume vol-0 does not exist',
                "volume-attach backend-lost volume=p",
            ),
            Example(
                f"{_D}mount error: no mds (Metadata Server) is up. The cluster might be laggy",
                "volume-set-up backend-lost volume=d",
            ),
        ),
        Rank.NAMED,
        within=(*_SET_UP, *_ATTACH),
    ),
    Error(
        words(
            # The same code also says that there were too many calls, or that an answer was too large.
            r"rpc error: code = ResourceExhausted desc = (?![^\n]{0,300}?(?:\brate\b|throttl|too many requests|quota|larger than max))[^\n]{0,300}?(?:attach|volumes|limit)|attachment limit exceeded|AttachmentLimitExceeded|"
            r"maximum (?:allowed )?number of (?:disk devices|data disks|volumes|disks)|max number of volumes|"
            r"maximum (?:number of )?data disks? (?:allowed )?to be attached|VolumeAttachmentLimitExceeded|reached its volume attachment limit"
        ),
        "attach-limit",
        ("resourceexhausted", "limit", "number of", "data disk"),
        (
            Seen(
                "CSI drivers",
                "1.0–1.9",
                "container-storage-interface spec.md, ControllerPublishVolume Errors",
            ),
            Seen("kubelet", "1.34", "pkg/kubelet/volumemanager/volume_manager.go"),
        ),
        (
            Example(
                'AttachVolume.Attach failed for volume "p" : rpc error: code = ResourceExhausted desc = max number of volumes (8) already attached to instance',
                "volume-attach attach-limit volume=p",
            ),
            Example(
                'AttachVolume.Attach failed for volume "p" : rpc error: code = Internal desc = The maximum number of data disks allowed to be attached to a VM of this size is 4.',
                "volume-attach attach-limit volume=p",
            ),
        ),
        Rank.NAMED,
        within=(*_ATTACH, *_SET_UP),
    ),
    Error(
        words(
            r"mounting \"(?P<path>/[^\s\"]{1,400}/volume-subpaths/[^\s\"]{1,400})\"\s{1,4}to rootfs[^\n]{0,600}(?:\n[^\n]{0,600}){0,3}?\s{0,4}(?:caused )?\"?:? ?\"?no such file or directory|"
            r"(?:stat|lstat|open|openat) (?P<path_2>/[^\s\":]{1,400}/volume-subpaths/[^\s\":]{1,400}): no such file or directory"
        ),
        "subpath-gone",
        ("volume-subpaths",),
        (
            Seen("runc", "1.0–1.3", "libcontainer/rootfs_linux.go"),
            Seen("kubelet", "1.10–1.16", "pkg/volume/util/subpath/subpath_linux.go"),
        ),
        (
            Example(
                'Error: failed to create containerd task: OCI runtime create failed: runc create failed: error mounting "/k/pods/u/volume-subpaths/conf/c/0" to rootfs at '
                '"/etc/app.conf": mount /k/pods/u/volume-subpaths/conf/c/0:/etc/app.conf: no such file or directory: unknown',
                "container-start subpath-gone path=/k/pods/u/volume-subpaths/conf/c/0",
            ),
            Example(
                'OCI runtime create failed: container_linux.go:345: starting container process caused "process_linux.go:424: container init caused '
                '\\"rootfs_linux.go:58: mounting \\\\\\"/k/pods/u/volume-subpaths/v/c/1\\\\\\" to rootfs \\\\\\"/r\\\\\\" at \\\\\\"/r/app\\\\\\" caused '
                '\\\\\\"no such file or directory\\\\\\"\\"": unknown',
                "container-start subpath-gone path=/k/pods/u/volume-subpaths/v/c/1",
            ),
        ),
        Rank.NAMED,
        "container-start",
        within=_STARTS,
    ),
)
