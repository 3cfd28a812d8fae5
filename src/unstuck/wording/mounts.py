"""Setting up and tearing down volumes; `attaching` has the rest.

Source: pkg/volume/util/operationexecutor/operation_generator.go, pkg/kubelet/volumemanager, mount-utils (1.34); field notes for 1.5–1.26.
"""

from __future__ import annotations

from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_EXECUTOR = "pkg/volume/util/operationexecutor/operation_generator.go"
_DEVICE = 'MountVolume.MountDevice failed for volume "d" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t '
_VOLUME = r"(?: for volume \"(?P<volume>[^\"]{1,1024})\")?"
_CSI_NAME = r"(?P<name>[^\s\"]{1,253})"

CALLS: tuple[Call, ...] = (
    Call(
        words(r"UnmountVolume\.(?:TearDown|NewUnmounter|FindPluginByName)(?: \w+)? failed" + _VOLUME),
        "volume-tear-down",
        ("unmountvolume.",),
        (Seen("kubelet", "1.6–1.34", _EXECUTOR),),
        (
            Example(
                'UnmountVolume.TearDown failed for volume "kubernetes.io/empty-dir/41300886-0f5c-4e0a-9ad9-4c2a1a9b7e10-d" (OuterVolumeSpecName: "d") '
                'pod "41300886-0f5c-4e0a-9ad9-4c2a1a9b7e10" (UID: "41300886-0f5c-4e0a-9ad9-4c2a1a9b7e10") : '
                "unlinkat /var/lib/kubelet/pods/41300886-0f5c-4e0a-9ad9-4c2a1a9b7e10/volumes/kubernetes.io~empty-dir/d/x: operation not permitted",
                "volume-tear-down EPERM path=/var/lib/kubelet/pods/41300886-0f5c-4e0a-9ad9-4c2a1a9b7e10/volumes/kubernetes.io~empty-dir/d/x "
                "volume=kubernetes.io/empty-dir/41300886-0f5c-4e0a-9ad9-4c2a1a9b7e10-d",
            ),
            Example(
                'UnmountVolume.TearDown failed for volume "m" (UniqueName: "m") pod "u" (UID: "u") : unmount failed: exit status 32\n'
                "Unmounting arguments: /k/pods/u/volumes/kubernetes.io~empty-dir/m\nOutput: umount: /k/pods/u/volumes/kubernetes.io~empty-dir/m: target is busy.",
                "volume-tear-down EBUSY path=/k/pods/u/volumes/kubernetes.io~empty-dir/m volume=m",
            ),
        ),
    ),
    Call(
        words(r"error cleaning subPath mounts" + _VOLUME),
        "subpath-clean",
        ("error cleaning subpath",),
        (Seen("kubelet", "1.10–1.34", _EXECUTOR),),
        (
            Example(
                'error cleaning subPath mounts for volume "m" : error processing /k/pods/u/volume-subpaths/m/c: '
                "error cleaning subpath mount /k/pods/u/volume-subpaths/m/c/0: unmount failed: exit status 32\n"
                "Unmounting arguments: /k/pods/u/volume-subpaths/m/c/0\nOutput: umount: /k/pods/u/volume-subpaths/m/c/0: target is busy.",
                "subpath-clean EBUSY path=/k/pods/u/volume-subpaths/m/c/0 volume=m",
            ),
            Example(
                'error cleaning subPath mounts for volume "m" : error deleting /k/pods/u/volume-subpaths/m/c/0: remove /k/pods/u/volume-subpaths/m/c/0: directory not empty',
                "subpath-clean ENOTEMPTY path=/k/pods/u/volume-subpaths/m/c/0 volume=m",
            ),
        ),
    ),
    Call(
        words(r"UnmountDevice(?:\.\w+)? failed" + _VOLUME),
        "device-unmount",
        ("unmountdevice",),
        (Seen("kubelet", "1.6–1.34", _EXECUTOR),),
        (
            Example(
                'UnmountDevice failed for volume "pvc-1" on node "n1" : rpc error: code = DeadlineExceeded desc = context deadline exceeded',
                "device-unmount deadline-exceeded volume=pvc-1",
            ),
            Example(
                'UnmountDevice failed for volume "pvc-1" on node "n1" : remove /k/plugins/x/mount: device or resource busy',
                "device-unmount EBUSY path=/k/plugins/x/mount volume=pvc-1",
            ),
        ),
    ),
    # mount's own log; the caller's message is the same in lower case.
    Call(
        words(r"\b(?-i:M)ount failed: exit status \d{1,3}"),
        "volume-set-up",
        ("mount failed: ",),
        (Seen("mount-utils", "0.20–0.34", "k8s.io/mount-utils/mount_linux.go (doMount)"),),
        (
            Example(
                "Mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t ext4 -o defaults /dev/longhorn/p /k/v\n"
                "Output: mount: /k/v: /dev/longhorn/p already mounted or mount point busy.",
                "volume-set-up device-claimed path=/dev/longhorn/p",
            ),
            Example(
                "Mount failed: exit status 32\nOutput: mount.nfs: Connection timed out",
                "volume-set-up timeout",
            ),
        ),
        bare=None,
        weak=True,
    ),
    Call(
        words(
            r"(?:MountVolume|MapVolume)\.(?:SetUp|SetUpDevice|MountDevice|WaitForAttach|MapPodDevice|MapBlockVolume|NewMounter|NodeAffinity|MountOptionSupport|FindPluginBySpec)"
            r"(?: \w+)? failed" + _VOLUME
        ),
        "volume-set-up",
        ("mountvolume.", "mapvolume."),
        (Seen("kubelet", "1.3–1.34", _EXECUTOR),),
        (
            Example(
                'MountVolume.SetUp failed for volume "config" : configmap "app-conf" not found',
                "volume-set-up not-found object=ConfigMap/app-conf volume=config",
            ),
            Example(
                'MountVolume.SetUp failed for volume "pv1" : mount failed: exit status 32\nMounting command: mount\nOutput: mount.nfs: Connection timed out',
                "volume-set-up timeout volume=pv1",
            ),
        ),
    ),
    Call(
        words(
            r"(?:unable to (?:attach or )?mount volumes|timeout expired waiting for volumes to attach|(?=unmounted volumes=\[[^\]]{0,1024}\], unattached))"
            r"(?:[^\[]{0,400}?unmounted volumes=\[(?P<volume>[^\]\s]{1,253})\])?"
        ),
        "volume-set-up",
        ("mount volumes", "volumes to attach", "unmounted volumes=["),
        (Seen("kubelet", "1.4–1.34", "pkg/kubelet/volumemanager/volume_manager.go"),),
        (
            Example(
                'Unable to mount volumes for pod "p_f(u)": timeout expired waiting for volumes to attach or mount for pod "f"/"p". list of unmounted volumes=[a b]',
                "volume-set-up timeout",
            ),
            Example(
                "Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[]: context deadline exceeded",
                "volume-set-up deadline-exceeded volume=data",
            ),
            Example(
                '"Error syncing pod, skipping" err="unmounted volumes=[v], unattached volumes=[], failed to process volumes=[]: context deadline exceeded" pod="f/p"',
                "volume-set-up deadline-exceeded volume=v",
            ),
        ),
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        # A mount in the kubelet's own namespace was unmounted before: EBUSY means that the directory is a mount point in another namespace.
        words(
            r"rename (?P<path>/\S{1,4096}) /\S{1,4096}/wrapped_[^/\s]{1,253}\.deleting~\d{1,12}: device or resource busy"
        ),
        "mounted-elsewhere",
        (".deleting~",),
        (
            Seen(
                "kubelet",
                "1.3–1.6",
                "pkg/volume/empty_dir/empty_dir.go (teardownDefault), pkg/volume/util.go (RenameDirectory)",
            ),
        ),
        (
            Example(
                'UnmountVolume.TearDown failed for volume "kubernetes.io/configmap/u-conf" (volume.spec.Name: "conf") pod "u" (UID: "u") with: '
                "rename /k/pods/u/volumes/kubernetes.io~configmap/conf "
                "/k/pods/u/volumes/kubernetes.io~configmap/wrapped_conf.deleting~034719632: device or resource busy",
                "volume-tear-down mounted-elsewhere path=/k/pods/u/volumes/kubernetes.io~configmap/conf volume=kubernetes.io/configmap/u-conf",
            ),
            Example(
                'UnmountVolume.TearDown failed for volume "kubernetes.io/secret/u-token" (volume.spec.Name: "token") pod "u" (UID: "u") with: '
                "rename /k/pods/u/volumes/kubernetes.io~secret/token "
                "/k/pods/u/volumes/kubernetes.io~secret/wrapped_token.deleting~7: device or resource busy",
                "volume-tear-down mounted-elsewhere path=/k/pods/u/volumes/kubernetes.io~secret/token volume=kubernetes.io/secret/u-token",
            ),
            # The kubelet does not ask whether a plain emptyDir is a mount of another kind in its own namespace.
            Example(
                'UnmountVolume.TearDown failed for volume "kubernetes.io/empty-dir/u-tmp" (volume.spec.Name: "tmp") pod "u" (UID: "u") with: '
                "rename /k/pods/u/volumes/kubernetes.io~empty-dir/tmp "
                "/k/pods/u/volumes/kubernetes.io~empty-dir/tmp.deleting~7: device or resource busy",
                "volume-tear-down EBUSY volume=kubernetes.io/empty-dir/u-tmp",
            ),
        ),
        Rank.NAMED,
        within=("volume-tear-down",),
    ),
    Error(
        words(
            r"driver name " + _CSI_NAME + r" not found in the list of registered CSI drivers|"
            r"CSINode [^\s\"]{1,253} does not contain driver (?P<name_2>[^\s\"]{1,253})|node \"[^\s\"]{1,253}\" has no NodeID annotation|"
            r"cannot find NodeID for driver \"(?P<name_3>[^\s\"]{1,253})\" for node"
        ),
        "driver-not-registered",
        ("registered csi drivers", "does not contain driver", "nodeid"),
        (
            Seen("kubelet", "1.13–1.34", "pkg/volume/csi/csi_client.go"),
            Seen("external-attacher", "0.3–4.9", "pkg/controller/csi_handler.go (getNodeID)"),
        ),
        (
            Example(
                'MountVolume.MountDevice failed for volume "p" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: '
                "driver name csi.example.com not found in the list of registered CSI drivers",
                "volume-set-up driver-not-registered object=CSIDriver/csi.example.com volume=p",
            ),
            Example(
                'UnmountVolume.TearDown failed for volume "p" : kubernetes.io/csi: Unmounter.TearDownAt failed to get CSI client: '
                "driver name csi.example.com not found in the list of registered CSI drivers",
                "volume-tear-down driver-not-registered object=CSIDriver/csi.example.com volume=p",
            ),
            Example(
                'AttachVolume.Attach failed for volume "p" : CSINode n-1 does not contain driver csi.example.com',
                "volume-attach driver-not-registered object=CSIDriver/csi.example.com volume=p",
            ),
            Example(
                'AttachVolume.Attach failed for volume "p" : node "n-1" has no NodeID annotation',
                "volume-attach driver-not-registered volume=p",
            ),
            Example(
                "driver name a.example.org not found in the list of registered CSI drivers",
                "volume-set-up driver-not-registered object=CSIDriver/a.example.org",
            ),
        ),
        Rank.NAMED,
        kind="CSIDriver",
        operation="volume-set-up",
    ),
    Error(
        words(
            r"(?:failed to load volume data file|open (?P<path>/[^\s:]{1,4096}vol_data\.json): no such file or directory)"
        ),
        "data-file-missing",
        ("vol_data.json", "volume data file"),
        (Seen("kubelet", "1.17–1.34", "pkg/volume/csi/csi_util.go"),),
        (
            Example(
                'UnmountVolume.NewUnmounter failed for volume "p" : kubernetes.io/csi: unmounter failed to load volume data file [/k/p/mount]: '
                "kubernetes.io/csi: failed to open volume data file [/k/p/vol_data.json]: open /k/p/vol_data.json: no such file or directory",
                "volume-tear-down data-file-missing path=/k/p/vol_data.json volume=p",
            ),
            Example(
                'UnmountVolume.NewUnmounter failed for volume "p" : unmounter failed to load volume data file [/x]: bad',
                "volume-tear-down data-file-missing volume=p",
            ),
        ),
        Rank.NAMED,
    ),
    Error(
        words(r"rpc error: code = (?P<key>\w{1,30}) desc = (?:(?!rpc error: code)[^\n]){0,280}"),
        "call-failed",
        ("rpc error: code",),
        (
            Seen(
                "kubelet",
                "1.10–1.34",
                "pkg/volume/csi/csi_mounter.go, google.golang.org/grpc/internal/status/status.go",
            ),
        ),
        (
            Example(
                'UnmountVolume.TearDown failed for volume "v" : kubernetes.io/csi: Unmounter.TearDownAt failed: '
                "rpc error: code = Internal desc = backend says: operation refused",
                "volume-tear-down call-failed key=Internal volume=v",
            ),
            Example(
                'UnmountDevice failed for volume "p" : kubernetes.io/csi: attacher.UnmountDevice failed: rpc error: code = NotFound desc = no such volume',
                "device-unmount call-failed key=NotFound volume=p",
            ),
            Example(
                'UnmountVolume.TearDown failed for volume "v" : kubernetes.io/csi: Unmounter.TearDownAt failed: '
                "rpc error: code = DeadlineExceeded desc = context deadline exceeded",
                "volume-tear-down deadline-exceeded volume=v",
            ),
            Example(
                'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = no',
                "volume-attach call-failed key=Internal volume=pvc-1",
            ),
        ),
        Rank.WAITER,
        within=("volume-tear-down", "device-unmount", "volume-set-up", "volume-attach", "volume-detach"),
    ),
    Error(
        words(r"rbd image (?P<key>[^\s\"]{1,400}) is still being used"),
        "used-elsewhere",
        ("is still being used",),
        (
            Seen("kubelet", "1.5–1.30", "pkg/volume/rbd/rbd_util.go (AttachDisk)"),
            Seen("ceph-csi", "1.0–3.14", "internal/rbd/rbd_attach.go (waitForrbdImage)"),
        ),
        (
            Example(
                'MountVolume.MountDevice failed for volume "pvc-1" : rpc error: code = Internal desc = rbd image pool/csi-vol-1 is still being used',
                "volume-set-up used-elsewhere key=pool/csi-vol-1 volume=pvc-1",
            ),
            Example(
                'MountVolume.WaitForAttach failed for volume "pvc-2" : rbd image kube/dynamic-2 is still being used',
                "volume-set-up used-elsewhere key=kube/dynamic-2 volume=pvc-2",
            ),
            Example("rbd image k8s/pvc-1 is still being used", "volume-set-up used-elsewhere key=k8s/pvc-1"),
        ),
        Rank.NAMED,
        within=("volume-set-up",),
        operation="volume-set-up",
    ),
    # The kernel's message is the same for a faulty superblock; an option that only network file systems have cannot be a disk's.
    Error(
        words(
            r"Mounting arguments: [^\n]{0,600}?-t (?:ext[234]|xfs|btrfs) -o (?:[^\s,]{1,200},){0,40}?"
            r"(?P<key>(?:dir_mode|file_mode|uid|gid|nfsvers|vers|actimeo)=[^\s,]{1,100}|mfsymlinks|nobrl|noperm|nolock)(?=[\s,])"
            r"[\s\S]{0,2000}?wrong fs type, bad option"
        ),
        "option-invalid",
        ("wrong fs type",),
        (Seen("mount(8), kernel", "2.23–2.41", "libmount/src/context_mount.c"),),
        (
            Example(
                f"{_DEVICE}xfs -o dir_mode=0777,uid=1000,defaults /dev/sdc /k/g\nOutput: mount: wrong fs type, bad option, bad superblock on /dev/sdc",
                "volume-set-up option-invalid key=dir_mode=0777 volume=d",
            ),
            Example(
                f"{_DEVICE}ext4 -o noatime,vers=3.0 /dev/sdc /k/g\nOutput: Running scope as unit run-1.scope.\nmount: wrong fs type, bad option",
                "volume-set-up option-invalid key=vers=3.0 volume=d",
            ),
            Example(
                f"{_DEVICE}ext4 -o defaults /dev/sdc /k/g\nOutput: mount: wrong fs type, bad option, bad superblock on /dev/sdc",
                "volume-set-up mount-refused volume=d",
            ),
        ),
        Rank.NAMED,
        within=("volume-set-up",),
    ),
    Error(
        words(r"wrong fs type, bad option"),
        "mount-refused",
        ("wrong fs type",),
        (Seen("mount(8)", "all"),),
        (
            Example(
                'MountVolume.SetUp failed for volume "a" : mount failed: exit status 32\nOutput: mount: wrong fs type, bad option, bad superblock',
                "volume-set-up mount-refused volume=a",
            ),
            Example(
                'MountVolume.MountDevice failed for volume "b" : mount: /x: wrong fs type, bad option, bad superblock on /dev/vdb',
                "volume-set-up mount-refused volume=b",
            ),
        ),
        within=("volume-set-up",),
    ),
    Error(
        words(r"connection timed out|failed to execute .{0,40}: timeout"),
        "timeout",
        ("timed out", "timeout"),
        (Seen("mount.nfs(8)", "all"),),
        (
            Example(
                'MountVolume.SetUp failed for volume "a" : mount.nfs: Connection timed out',
                "volume-set-up timeout volume=a",
            ),
            Example(
                'MountVolume.SetUp failed for volume "b" : mount.nfs4: Connection timed out',
                "volume-set-up timeout volume=b",
            ),
        ),
        within=("volume-set-up", "volume-tear-down"),
    ),
)
