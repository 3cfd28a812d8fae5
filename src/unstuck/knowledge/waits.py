"""The obstacle of a task in state D, by its kernel function (`wchan`), and the file systems of these
functions.

Sources: fs/fuse/dev.c, net/sunrpc/sched.c and fs/nfs, fs/ceph, fs/smb/client, net/9p; block/blk-core.c,
mm/filemap.c, fs/jbd2 for disks.
"""

from __future__ import annotations

import re

from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex


@record()
class Wait(Record):
    """functions: a pattern of their names. fstypes: the corresponding types in mountinfo, none for a disk.

    name: in English and Chinese.
    """

    functions: re.Pattern[str]
    fstypes: re.Pattern[str] | None
    name: tuple[str, str]


WAITS: tuple[Wait, ...] = (
    Wait(
        regex(r"_*(?:request_wait_answer|fuse_|virtio_fs_)"),
        regex(r"fuse(?!ctl)|virtiofs"),
        ("a FUSE file system", "FUSE 文件系统"),
    ),
    Wait(regex(r"_*(?:rpc_|nfs)"), regex(r"nfs4?$"), ("an NFS server", "NFS 服务器")),
    Wait(regex(r"_*ceph_"), regex(r"ceph$"), ("a Ceph cluster", "Ceph 集群")),
    Wait(
        regex(r"_*(?:cifs_|smb|SMB|wait_for_response|compound_send_recv)"),
        regex(r"cifs$|smb"),
        ("an SMB server", "SMB 服务器"),
    ),
    Wait(regex(r"_*(?:p9_|v9fs_)"), regex(r"9p$"), ("a 9p server", "9p 服务器")),
    Wait(
        regex(r"_*(?:io_schedule|bit_wait_io|folio_wait|wait_on_page|wait_on_buffer|blk_|jbd2_|xfs_|ext4_)"),
        None,
        ("a block device", "块设备"),
    ),
)


def find_wait(function: str) -> Wait | None:
    """Return the wait of a task that sleeps in this function; None if the function does no I/O."""
    return next((w for w in WAITS if w.functions.match(function)), None)


def waits_on(function: str, fstype: str) -> bool:
    """Tell whether a task in this function waits for a file system of this type."""
    wait = find_wait(function)
    return wait is not None and wait.fstypes is not None and wait.fstypes.match(fstype) is not None
