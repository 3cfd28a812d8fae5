"""The kernel's messages about what stops programs: file systems that failed, servers that do not answer,
limits that were reached, blocked tasks.

Sources: kernel/hung_task.c, fs/ext4/super.c, fs/xfs/xfs_fsops.c, fs/btrfs/super.c and messages.c,
block/blk-core.c, fs/buffer.c, net/sunrpc/clnt.c, fs/ceph/mds_client.c, net/ceph/mon_client.c,
fs/smb/client/connect.c, net/netfilter/nf_conntrack_core.c, fs/file_table.c, kernel/cgroup/pids.c,
kernel/watchdog.c, kernel/rcu/tree_stall.h, net/core/dev.c, net/core/neighbour.c, mm/page_alloc.c.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from unstuck.facts.aspects.kernel import KernelKind
from unstuck.facts.regex import regex

_DEVICE = r"(?P<what>[\w!.-]{1,64})"
_FORMS: tuple[tuple[KernelKind, str], ...] = (
    ("fs-read-only", rf"EXT[234]-fs \({_DEVICE}\): (?:error: )?[Rr]emounting filesystem read-only"),
    ("fs-read-only", rf"BTRFS(?: \w+)? \(device {_DEVICE}(?: state \w+)?\):? forced readonly"),
    ("fs-read-only", rf"F2FS-fs \({_DEVICE}\): .*(?:Remounting filesystem read-only|Stopped filesystem)"),
    ("fs-error", rf"EXT[234]-fs error \(device {_DEVICE}\)"),
    ("fs-error", rf"BTRFS:? (?:error|critical) \(device {_DEVICE}"),
    (
        "fs-shutdown",
        rf"XFS \({_DEVICE}\): (?:.*[Ss]hutting down filesystem|Filesystem has been shut down|log I/O error)",
    ),
    (
        "fs-error",
        (
            rf"XFS \({_DEVICE}\): (?:Internal error|Metadata (?:corruption|CRC error) detected|Corruption (?:detected"
            r"|warning))"
        ),
    ),
    ("io-error", rf"(?:I/O error|critical (?:medium|target) error), dev (?!fd\d|sr\d){_DEVICE}, sector"),
    ("io-error", rf"Buffer I/O error on dev(?:ice)? (?!fd\d|sr\d){_DEVICE},"),
    ("server-silent", r"(?:nfs|lockd): server (?P<what>\S{1,255}) not responding"),
    ("server-silent", r"ceph: (?:\[[^\]]{1,80}\]: )?(?P<what>mds\d{1,5}) hung"),
    ("server-silent", r"libceph: (?P<what>mon\d{1,5} \S{1,128}) session lost"),
    ("server-silent", r"CIFS:? VFS: (?:Server )?(?P<what>\S{1,255}) has not responded in \d+ seconds"),
    ("conntrack-full", r"(?:nf|ip)_conntrack: table full"),
    ("file-max", r"VFS: file-max limit \d+ reached"),
    ("fork-rejected", r"cgroup: fork rejected by pids controller in (?P<what>\S{1,1000})"),
    ("soft-lockup", r"BUG: soft lockup - CPU#(?P<what>\d{1,5}) stuck for"),
    ("rcu-stall", r"INFO: rcu_\w+ (?:self-)?detected (?:expedited )?stalls? on CPU"),
    ("netdev-held", r"unregister_netdevice: waiting for (?P<what>\S{1,32}) to become free"),
    ("neighbours-full", r"(?:neighbour: (?P<what>\w{1,32}): n|N)eighbou?r table overflow"),
    ("allocation-failed", r"page allocation failure: order:(?P<what>\d{1,2}),"),
    ("kernel-bug", r"^(?:kernel BUG at (?P<what>\S{1,128})|BUG: (?:unable to handle|kernel NULL)|Oops: )"),
)
# A later line that takes an earlier one back.
_OVER_FORMS: tuple[tuple[KernelKind, str], ...] = (
    ("server-silent", r"(?:nfs|lockd): server (?P<what>\S{1,255}) OK"),
    (
        "server-silent",
        (
            r"ceph: (?:\[[^\]]{1,80}\]: )?(?P<what>mds\d{1,5}) (?:came back|reconnect success|recovery "
            r"completed)"
        ),
    ),
    ("server-silent", r"libceph: (?P<what>mon\d{1,5} \S{1,128}) session established"),
    ("fs-read-only", rf"EXT4-fs \({_DEVICE}\): re-mounted \S{{1,64}} r/w"),
)
_SAID = tuple((kind, re.compile(form)) for kind, form in _FORMS)
# A single line about a held device is read as the error that a text reports.
_ALONE = tuple(form for kind, form in _SAID if kind != "netdev-held")
_OVER = tuple((kind, re.compile(form)) for kind, form in _OVER_FORMS)
# Every form holds one of these: most lines are passed over by them.
_LIKELY = regex(
    r"-fs |BTRFS|XFS|I/O error|error, dev|server |ceph|CIFS|conntrack|file-max|fork rejected"
    r"|lockup|rcu_|netdevice|eighbo|allocation|BUG|Oops"
)
BLOCKED = regex(
    r"INFO: task (?P<comm>.{1,64}):(?P<pid>\d{1,10}) blocked (?:[^:]{0,40} )?for more than "
    r"(?P<seconds>\d{1,10}) seconds"
)
# What precedes a message: the log's word for the kernel, and its part or the program that it is from.
_PART = regex(r"\s{0,8}\S{1,64}: ")
_PARTS = 3


def may_tell_event(text: str) -> bool:
    """Tell whether a line has a word of one of the messages about an event."""
    return _LIKELY.search(text) is not None


def match_event(text: str) -> tuple[KernelKind, str] | None:
    """Return the event that a line reports, and what it is about; None for none."""
    return _match(_SAID, text)


def match_end(text: str) -> tuple[KernelKind, str] | None:
    """Return the event that a line takes back, and what it is about; None for none."""
    return _match(_OVER, text)


def begins_message(line: str) -> bool:
    """Tell whether a bare line begins with a message of the kernel: cut out of its log, or `dmesg -t`."""
    # Programs begin like this, too.
    if line.startswith("Oops") or not (may_tell_event(line) or "blocked" in line):
        return False
    return any(form.match(line, at) for at in _list_begins(line) for form in (BLOCKED, *_ALONE))


def _list_begins(line: str) -> list[int]:
    begins = [0]
    while len(begins) <= _PARTS and (part := _PART.match(line, begins[-1])):
        begins.append(part.end())
    return begins


def _match(forms: Sequence[tuple[KernelKind, re.Pattern[str]]], text: str) -> tuple[KernelKind, str] | None:
    for kind, form in forms:
        if found := form.search(text):
            return kind, (found.groupdict().get("what") or "").rstrip(",.:")
    return None
