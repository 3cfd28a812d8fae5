"""Parses the kernel's log: blocked tasks, file systems that failed, servers that do not answer, limits that
were reached.

Sources: kernel/hung_task.c, fs/ext4/super.c, fs/xfs/xfs_fsops.c, fs/btrfs/super.c and messages.c,
block/blk-core.c, fs/buffer.c, net/sunrpc/clnt.c, fs/ceph/mds_client.c, net/ceph/mon_client.c,
fs/smb/client/connect.c, net/netfilter/nf_conntrack_core.c, fs/file_table.c, kernel/cgroup/pids.c,
kernel/watchdog.c, kernel/rcu/tree_stall.h, net/core/dev.c, net/core/neighbour.c, mm/page_alloc.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from unstuck.collect.node.kernel import KernelLine
from unstuck.facts.aspects.kernel import HungTask, KernelEvent, KernelKind
from unstuck.facts.regex import regex

_MAX_EVENTS = 200
_MAX_TASKS = 100
_TRACE = 80
_FUNCTIONS = 8
_QUOTE = 300
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
            rf"XFS \({_DEVICE}\): (?:Internal error|Metadata corruption detected|Corruption (?:detected"
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
_OVER = tuple((kind, re.compile(form)) for kind, form in _OVER_FORMS)
# Every form holds one of these: most lines are passed over by them.
_LIKELY = regex(
    r"-fs |BTRFS|XFS|I/O error|error, dev|server |ceph|CIFS|conntrack|file-max|fork rejected"
    r"|lockup|rcu_|netdevice|eighbo|allocation|BUG|Oops"
)
_BLOCKED = regex(
    r"INFO: task (?P<comm>.{1,64}):(?P<pid>\d{1,10}) blocked (?:[^:]{0,40} )?for more than "
    r"(?P<seconds>\d{1,10}) seconds"
)
_FUNCTION = regex(
    r"^\s*(?:\[<[0-9a-f]+>\]\s*)?(?P<guess>\? )?(?P<name>[A-Za-z_][\w.]{0,127})\+0x[0-9a-f]+/0x[0-9a-f]+(?: "
    r"\[(?P<module>\w{1,64})\])?"
)
_SCHEDULER = regex(r"^_*(?:io_)?schedule(?:_\w+)?(?:\.\w+)*$|^__switch_to|^context_switch")


def parse_events(lines: Iterable[KernelLine]) -> list[KernelEvent]:
    """Return each kind of each thing once, in the order of its last line; at most the last 200."""
    out: dict[tuple[KernelKind, str], KernelEvent] = {}
    for line in lines:
        if not _LIKELY.search(line.text):
            continue
        if (found := _match(_OVER, line.text)) and found in out:
            out[found] = replace(out[found], over=True)
        elif found := _match(_SAID, line.text):
            old = out.pop(found, None)
            first = old.first if old and old.first else line.at
            out[found] = KernelEvent(
                *found,
                (old.count if old else 0) + 1,
                first,
                line.at or (old.last if old else None),
                line.text[:_QUOTE],
            )
    return list(out.values())[-_MAX_EVENTS:]


def _match(forms: Sequence[tuple[KernelKind, re.Pattern[str]]], text: str) -> tuple[KernelKind, str] | None:
    for kind, form in forms:
        if found := form.search(text):
            return kind, (found.groupdict().get("what") or "").rstrip(",.:")
    return None


def parse_hung_tasks(lines: Sequence[KernelLine]) -> list[HungTask]:
    """Return tasks found blocked, each once with its last call trace; at most the last 100."""
    out: dict[tuple[str, int], HungTask] = {}
    for index, line in enumerate(lines):
        found = _BLOCKED.search(line.text) if "blocked" in line.text else None
        if found is None:
            continue
        key = (found["comm"], int(found["pid"]))
        old = out.pop(key, None)
        functions = tuple(_parse_trace(lines[index + 1 : index + 1 + _TRACE])) or (
            old.functions if old else ()
        )
        out[key] = HungTask(
            *key,
            int(found["seconds"]),
            functions,
            (old.count if old else 0) + 1,
            old.first if old and old.first else line.at,
            line.at or (old.last if old else None),
        )
    return list(out.values())[-_MAX_TASKS:]


def _parse_trace(lines: Iterable[KernelLine]) -> list[str]:
    """Return the functions of a call trace that the unwinder is sure of, innermost first, without the
    scheduler's.
    """
    out: list[str] = []
    began = False
    for line in lines:
        text = line.text
        found = _FUNCTION.match(text) if began else None
        if found and not found["guess"] and not _SCHEDULER.match(found["name"]):
            out.append(found["name"] + (f" [{found['module']}]" if found["module"] else ""))
        ended = _BLOCKED.search(text) or "</TASK>" in text or (out and found is None)
        if ended or len(out) >= _FUNCTIONS:
            break
        began = began or "Call Trace" in text
    return out
