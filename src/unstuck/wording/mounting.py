"""Errors of a volume's mount: mount(8) and its helpers, fsck(8), the kernel's file systems.

Source: util-linux libmount/src/context_mount.c, nfs-utils utils/mount, cifs-utils mount.cifs.c, mount-utils mount_linux.go,
the kernel's fs/{xfs,ext4}.
"""

from __future__ import annotations

from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_SET_UP: tuple[Operation, ...] = ("volume-set-up",)
_V = 'MountVolume.SetUp failed for volume "v" : '
_D = 'MountVolume.MountDevice failed for volume "d" : rpc error: code = Internal desc = '
_T = "mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t "
_LIBMOUNT = Seen("mount(8)", "2.23–2.41", "libmount/src/context_mount.c")
_NFS = Seen("mount.nfs(8)", "1.2–2.8", "utils/mount/error.c")
_CIFS = Seen("mount.cifs(8)", "5–7", "mount.cifs.c")

CALLS: tuple[Call, ...] = ()

ERRORS: tuple[Error, ...] = (
    Error(
        words(r"rpc\.statd is not running but is required for remote locking"),
        "lock-daemon-down",
        ("rpc.statd is not running",),
        (Seen("mount.nfs", "1.1–2.8", "nfs-utils utils/mount/network.c (start_statd)"),),
        (
            Example(
                f"{_V}{_T}nfs s:/data /k/v\nOutput: mount.nfs: rpc.statd is not running but is required for remote locking.\n"
                "mount.nfs: Either use '-o nolock' to keep locks local, or start statd.\nmount.nfs: an incorrect mount option was specified",
                "volume-set-up lock-daemon-down volume=v",
            ),
            Example(
                f"{_V}Output: mount.nfs: rpc.statd is not running but is required for remote locking.\n"
                "mount.nfs: Either use '-o nolock' to keep locks local, or start statd.",
                "volume-set-up lock-daemon-down volume=v",
            ),
        ),
        Rank.NAMED,
        "volume-set-up",
        within=_SET_UP,
    ),
    Error(
        words(r"need\s{1,16}a /sbin/mount\.<type> helper program"),
        "helper-missing",
        ("/sbin/mount.<type>",),
        (_LIBMOUNT,),
        (
            Example(
                f"{_V}{_T}nfs s:/data /k/v\nOutput: mount: /k/v: bad option; for several filesystems (e.g. nfs, cifs) you might need a "
                "/sbin/mount.<type> helper program.",
                "volume-set-up helper-missing volume=v",
            ),
            Example(
                f"{_V}{_T}nfs s:/data /k/v\nOutput: mount: wrong fs type, bad option, bad superblock on s:/data,\n       missing codepage or helper "
                "program, or other error\n       (for several filesystems (e.g. nfs, cifs) you might\n       need a /sbin/mount.<type> helper program)",
                "volume-set-up helper-missing volume=v",
            ),
            Example(
                "mount: bad option; for several filesystems (e.g. nfs, cifs) you might need a /sbin/mount.<type> helper program.",
                "volume-set-up helper-missing",
            ),
        ),
        Rank.NAMED,
        "volume-set-up",
        within=_SET_UP,
    ),
    Error(
        # krbd refuses it with ENXIO, with which rbd(8) then ends.
        words(
            r"RBD image feature set mismatch|rbd: image \S{1,120}: image uses unsupported features: 0x[0-9a-f]{1,16}"
            r"|\(exit status 6\) occurred while running rbd args: [^\n]{0,1200}?rbd: sysfs write failed"
        ),
        "features-unknown",
        ("feature set mismatch", "unsupported features", "exit status 6"),
        (
            Seen("Ceph", "12–19", "src/krbd.cc (map_image)"),
            Seen("Linux", "3.9–6.12", "drivers/block/rbd.c (rbd_dev_v2_features)"),
            Seen("ceph-csi", "3", "internal/rbd/rbd_attach.go"),
        ),
        (
            Example(
                f"{_V}rbd: map failed: rbd: sysfs write failed\nRBD image feature set mismatch. You can disable features unsupported by the kernel",
                "volume-set-up features-unknown volume=v",
            ),
            Example(
                f"{_V}rbd: map failed with error an error (exit status 6) occurred while running rbd args: [--id a map b/c], rbd error output: "
                "rbd: sysfs write failed",
                "volume-set-up features-unknown volume=v",
            ),
            Example("RBD image feature set mismatch.", "volume-set-up features-unknown"),
        ),
        Rank.NAMED,
        "volume-set-up",
        within=_SET_UP,
    ),
    Error(
        # A later failure of the module's user follows from this one, and its error is less specific.
        words(
            r"modprobe: FATAL: Module (?P<key>[\w.-]{1,100}) not found(?: in directory (?P<path>/[^\s\"\\]{1,300}))?"
        ),
        "module-missing",
        ("fatal: module",),
        (Seen("kmod", "9–34", "tools/modprobe.c"), Seen("Ceph", "0.94–19", "src/krbd.cc (map_image)")),
        (
            Example(
                f"{_V}modprobe: FATAL: Module rbd not found. rbd: failed to load rbd kernel module (1) rbd: sysfs write failed",
                "volume-set-up module-missing key=rbd volume=v",
            ),
            Example(
                f"{_V}modprobe: FATAL: Module nbd not found in directory /lib/modules/5.4.0-1-generic",
                "volume-set-up module-missing key=nbd path=/lib/modules/5.4.0-1-generic volume=v",
            ),
        ),
        Rank.NAMED,
        within=_SET_UP,
    ),
    Error(
        words(
            r"exec: \"(?!mkfs\.)(?P<key>[\w./-]{1,80})\": executable file not found in \$PATH|"
            # A driver that runs the node's own programs: util-linux sys-utils/nsenter.c.
            r"nsenter: failed to execute (?P<key_2>[\w./-]{1,80}): No such file or directory|"
            r"(?<!errcode:\()(?<!\": )executable file not found in \$PATH"
        ),
        "helper-missing",
        ("executable file not found", "nsenter: failed to execute"),
        (_LIBMOUNT, Seen("util-linux", "2.23–2.41", "sys-utils/nsenter.c")),
        (
            Example(
                f'{_V}exec: "iscsiadm": executable file not found in $PATH',
                "volume-set-up helper-missing key=iscsiadm volume=v",
            ),
            Example(
                'MountVolume.SetUp failed for volume "kubernetes.io/iscsi/u-v" (spec.Name: "v") pod "u" (UID: "u") with: executable file not found '
                "in $PATH",
                "volume-set-up helper-missing volume=kubernetes.io/iscsi/u-v",
            ),
            Example(
                f"{_V}failed to execute: nsenter [--mount=/host/proc/1/ns/mnt mount.nfs4 -V], stderr nsenter: failed to execute mount.nfs4: No such file or directory",
                "volume-set-up helper-missing key=mount.nfs4 volume=v",
            ),
        ),
        Rank.NAMED,
        within=_SET_UP,
    ),
    Error(
        words(
            # ENODEV of mount(2): no module of this name.
            r"mount\.(?P<key_5>nfs4?|cifs|ceph|9p|lustre): No such device|"
            r"unknown filesystem type '(?P<key>[^'\s]{1,40})'|executable file \"mkfs\.(?P<key_2>\w{1,20})\" not found|\"mkfs\.(?P<key_3>\w{1,20})\": executable file not found|"
            # mount-utils' own wording, without the name of the program.
            r"format of disk \"[^\"\n]{1,400}\" failed: type:\(\"(?P<key_4>\w{1,20})\"\)[^\n]{0,900}?errcode:\(executable file not found"
        ),
        "fs-unknown",
        ("unknown filesystem type", "mkfs.", "format of disk", "no such device"),
        (
            _LIBMOUNT,
            Seen("mount-utils", "0.20–0.34", "k8s.io/mount-utils/mount_linux.go (formatAndMountSensitive)"),
        ),
        (
            Example(
                f"{_V}mount failed: exit status 32 Output: mount.nfs: No such device",
                "volume-set-up fs-unknown key=nfs volume=v",
            ),
            Example(
                f"{_D}mount: /k/g: unknown filesystem type 'xfs'.",
                "volume-set-up fs-unknown key=xfs volume=d",
            ),
            Example(
                f'{_D}format of disk "/dev/vdb" failed: type:("xfs") errcode:(exec: "mkfs.xfs": executable file not found in $PATH)',
                "volume-set-up fs-unknown key=xfs volume=d",
            ),
            Example(
                f'{_D}format of disk "/dev/vdb" failed: type:("reiserfs") target:("/k/g") options:("defaults") '
                "errcode:(executable file not found in $PATH) output:() ",
                "volume-set-up fs-unknown key=reiserfs volume=d",
            ),
        ),
        Rank.NAMED,
        within=_SET_UP,
    ),
    Error(
        words(
            r"XFS \((?P<key>[\w/-]{1,64})\): Superblock has unknown (?:read-only )?(?:in)?compatible (?:\w{1,20} )?features|"
            r"EXT4-fs \((?P<key_2>[\w/-]{1,64})\): couldn't mount (?:RDWR )?because of unsupported optional features"
        ),
        "features-unknown",
        ("superblock has unknown", "unsupported optional features"),
        (Seen("kernel", "3.10–6.x", "fs/xfs/libxfs/xfs_sb.c, fs/ext4/super.c"),),
        (
            Example(
                "XFS (vdb): Superblock has unknown read-only compatible features (0x8) enabled.",
                "volume-set-up features-unknown key=vdb",
            ),
            Example(
                "[  12.5] EXT4-fs (sdc): couldn't mount RDWR because of unsupported optional features (10000)",
                "volume-set-up features-unknown key=sdc",
            ),
        ),
        Rank.NAMED,
        "volume-set-up",
        within=_SET_UP,
    ),
    Error(
        words(
            # Behind the word about rpc.statd it means that.
            r"(?<!statd\.\nmount\.nfs: )(?<!statd\.\\nmount\.nfs: )(?<!statd\. mount\.nfs: )an incorrect mount option was specified|unknown mount option|Unrecognized mount option|invalid mount option|unsupported mount option|"
            r"Unknown parameter '(?P<key>[^'\s]{1,80})'|unrecognized mount option \"(?P<key_2>[^\"\s]{1,80})\"|"
            r"mount options? (?:is|are) not supported|fsconfig system call failed: [^\n:]{1,60}: Unknown parameter '(?P<key_3>[^'\s]{1,80})'|"
            r"Mount options are not supported|Illegal mount option"
        ),
        "option-invalid",
        ("mount option", "unknown parameter"),
        (
            _NFS,
            _LIBMOUNT,
            Seen("kernel", "5.x–6.x", "fs/fs_parser.c"),
            Seen("kubelet", "1.6–1.34", "pkg/volume/util/operationexecutor"),
        ),
        (
            Example(
                f"{_V}{_T}nfs -o vers=9 s:/d /k/v\nOutput: mount.nfs: an incorrect mount option was specified",
                "volume-set-up option-invalid volume=v",
            ),
            Example(
                f"{_V}{_T}tmpfs -o nonsense tmpfs /k/v\nOutput: mount: /k/v: fsconfig system call failed: tmpfs: Unknown parameter 'nonsense'.",
                "volume-set-up option-invalid key=nonsense volume=v",
            ),
        ),
        Rank.NAMED,
        within=_SET_UP,
    ),
    Error(
        words(
            r"mount(?:\.nfs4?)?: (?:[^\n:]{1,300}: )?Protocol not supported|requested NFS version or transport protocol is not supported|"
            r"mount\.nfs4?: Protocol not supported"
        ),
        "protocol-unsupported",
        ("protocol not supported", "transport protocol is not supported"),
        (_NFS,),
        (
            Example("Output: mount.nfs: Protocol not supported", "volume-set-up protocol-unsupported"),
            Example(
                f"{_V}mount.nfs: requested NFS version or transport protocol is not supported for /k/v",
                "volume-set-up protocol-unsupported volume=v",
            ),
        ),
        Rank.NAMED,
        "volume-set-up",
        within=_SET_UP,
    ),
    Error(
        words(
            r"'fsck' found errors on device (?P<path>/[^\s:]{1,400}) but could not correct them|UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY|"
            r"Structure needs cleaning|XFS \((?P<key>[\w/-]{1,64})\): Corruption (?:detected|of in-memory)|"
            r"can't (?:read superblock|find ext4 filesystem) on (?P<path_2>/[^\s:]{1,399}[^\s:.])"
        ),
        "fs-corrupted",
        (
            "'fsck' found",
            "run fsck manually",
            "needs cleaning",
            "corruption",
            "superblock on",
            "ext4 filesystem on",
        ),
        (
            Seen("mount-utils", "0.20–0.34", "k8s.io/mount-utils/mount_linux.go (checkAndRepairFilesystem)"),
            Seen("e2fsck(8)", "1.42–1.47", "e2fsck/util.c"),
            _LIBMOUNT,
        ),
        (
            Example(
                f"{_D}'fsck' found errors on device /dev/vdb but could not correct them: fsck from util-linux 2.38.1\n/dev/vdb: UNEXPECTED "
                "INCONSISTENCY; RUN fsck MANUALLY.",
                "volume-set-up fs-corrupted volume=d",
            ),
            Example(
                f"{_D}mount(2) system call failed: Structure needs cleaning.",
                "volume-set-up fs-corrupted volume=d",
            ),
            Example(
                f"{_D}mount: /k/g: can't read superblock on /dev/sdi.",
                "volume-set-up fs-corrupted path=/dev/sdi volume=d",
            ),
            Example(
                "'fsck' found errors on device /dev/sdb but could not correct them",
                "volume-set-up fs-corrupted path=/dev/sdb",
            ),
        ),
        Rank.NAMED,
        within=_SET_UP,
        operation="volume-set-up",
    ),
    Error(
        words(
            r"access denied by server while mounting (?P<key>[^\s,<]{1,400})|mount error\(13\): Permission denied"
        ),
        "access-denied",
        ("access denied by server", "mount error(13)"),
        (_NFS, _CIFS),
        (
            Example(
                f"{_V}{_T}nfs s:/data /k/v\nOutput: mount.nfs: access denied by server while mounting s:/data",
                "volume-set-up access-denied key=s:/data volume=v",
            ),
            Example(
                f"{_V}Output: mount error(13): Permission denied\nRefer to the mount.cifs(8) manual page",
                "volume-set-up access-denied volume=v",
            ),
            Example(
                "mount.nfs: access denied by server while mounting 10.0.0.5:/data",
                "volume-set-up access-denied key=10.0.0.5:/data",
            ),
        ),
        Rank.NAMED,
        "volume-set-up",
        within=_SET_UP,
    ),
    Error(
        words(
            r"(?P<path>/dev/[^\s:]{1,400}) (?:is )?already mounted or (?:[^\s:]{1,400} busy|mount point busy)|"
            r"already mounted or mount point busy|(?P<path_2>/dev/[^\s:]{1,400}) is apparently in use by the system|contains a mounted filesystem"
        ),
        "device-claimed",
        ("already mounted or", "apparently in use", "contains a mounted"),
        (
            _LIBMOUNT,
            Seen("mke2fs(8)", "1.42–1.47", "misc/util.c"),
            Seen("mkfs.xfs(8)", "3–6", "mkfs/xfs_mkfs.c"),
        ),
        (
            Example(
                f"{_D}{_T}ext4 /dev/sdg /k/g\nOutput: mount: /k/g: /dev/sdg already mounted or mount point busy.",
                "volume-set-up device-claimed path=/dev/sdg volume=d",
            ),
            Example(
                f'{_D}format of disk "/dev/vdb" failed: errcode:(exit status 1) output:(mke2fs 1.47.0\n/dev/vdb is apparently in use by the system; '
                "will not make a filesystem here!)",
                "volume-set-up device-claimed path=/dev/vdb volume=d",
            ),
            Example(
                "mount: /dev/sdb already mounted or /mnt busy", "volume-set-up device-claimed path=/dev/sdb"
            ),
        ),
        Rank.NAMED,
        within=_SET_UP,
        operation="volume-set-up",
    ),
)
