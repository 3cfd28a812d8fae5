"""Finds the users of one file or named pipe: processes that run it, hold a lock on it, have an end of it
open, or wait for the other end.

Everything comes from /proc; the file itself is not opened, so that nothing here waits for its file system.
Sources: proc(5) (`/proc/PID/exe`, `/proc/PID/fdinfo`: `flags` in octal, `ino` since Linux 5.14,
`/proc/locks`), Linux fs/pipe.c (`wait_for_partner`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Literal

from unstuck.collect.node.open_files import OpenFiles
from unstuck.collect.node.proc import Process
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_paths import PathUser
from unstuck.facts.core import Ref

_SECONDS, _MOST_FILES = 1.0, 200_000
_MOST = 20
_DELETED = " (deleted)"
_How = Literal["runs", "locks", "reads", "writes", "both", "opens"]
# A row of locks: `1: POSIX ADVISORY WRITE 702 08:01:93 0 EOF`, by the holder's pid, and the file by
# device and inode.
_LOCK_WORDS = 6


def find_runners(view: NodeView, path: str, inode: int) -> tuple[tuple[PathUser, ...], bool]:
    """Return the processes that run a file or hold a lock on it, and whether all processes were seen.
    path: as the node has it.
    """
    name, end, whole = path.rpartition("/")[2], time.monotonic() + _SECONDS, view.sees_node
    out: list[PathUser] = []
    for process in view.table.user:
        if time.monotonic() > end or len(out) >= _MOST:
            whole = False
            break
        program, _ = view.root.link(f"/proc/{process.pid}/exe")
        if program.removesuffix(_DELETED).rpartition("/")[2] == name and _maps_inode(view, process, inode):
            out.append(_make_user(view, process, "runs"))
    return (*out, *_find_lockers(view, inode)), whole


def _maps_inode(view: NodeView, process: Process, inode: int) -> bool:
    """Tell whether a process' executable has this inode: many files share its name."""
    if process.pid in view.table.stuck[0]:
        return False
    lines = (view.root.text(f"/proc/{process.pid}/maps", 64 << 10) or "").splitlines()
    program, _ = view.root.link(f"/proc/{process.pid}/exe")
    return any(
        len(words := line.split(None, 5)) == 6 and words[4] == str(inode) and words[5] == program
        for line in lines
    )


def _find_lockers(view: NodeView, inode: int) -> Iterator[PathUser]:
    for line in (view.root.text("/proc/locks", 1 << 20) or "").splitlines():
        words = line.split()
        if (
            len(words) < _LOCK_WORDS
            or words[1] == "->"
            or not words[5].endswith(f":{inode}")
            or not words[4].isdigit()
        ):
            continue
        if process := view.table.all.get(int(words[4])):
            yield _make_user(view, process, "locks")


def find_pipe_users(
    view: NodeView, path: str, inode: int
) -> tuple[tuple[PathUser, ...], tuple[PathUser, ...], bool]:
    """Return the processes with a named pipe open, the processes that wait while opening any named pipe, and
    whether the open files of all processes were seen.
    """
    name = path.rpartition("/")[2]
    files = OpenFiles(view, _SECONDS, _MOST_FILES)
    users: list[PathUser] = []
    untold = False
    for process, fds in files:
        for fd in fds:
            target, _ = view.root.link(f"/proc/{process.pid}/fd/{fd}")
            if target.rpartition("/")[2] != name:
                continue
            info = dict(
                line.split(":", 1)
                for line in (view.root.brief(f"/proc/{process.pid}/fdinfo/{fd}") or "").splitlines()
                if ":" in line
            )
            number, flags = info.get("ino", "").strip(), info.get("flags", "").strip()
            if not number:
                # For kernels before 5.14: the same name at another path may be the same pipe, in a container.
                untold = untold or target != path
            if number == str(inode) or (not number and target == path):
                users.append(_make_user(view, process, _mode(flags)))
    partners = view.table.sleeping_in(
        lambda f: f == "wait_for_partner", [p.pid for p in view.table.user], time.monotonic() + _SECONDS
    )
    openers = dict.fromkeys(view.table.all[t.pid] for t in partners if t.pid in view.table.all)
    opening = tuple(_make_user(view, process, "opens") for process in list(openers)[:_MOST])
    return tuple(dict.fromkeys(users))[:_MOST], opening, files.whole and not untold


def _mode(flags: str) -> _How:
    """Return which end is open. flags: of open(2), in octal."""
    access = int(flags, 8) & os.O_ACCMODE if flags.isdigit() else os.O_RDWR
    return "reads" if access == os.O_RDONLY else "writes" if access == os.O_WRONLY else "both"


def _make_user(view: NodeView, process: Process, how: _How) -> PathUser:
    proc = view.table.as_fact(process)
    return PathUser(proc, how, view.pod(Ref("Pod", uid=proc.pod)) if proc.pod else None)
