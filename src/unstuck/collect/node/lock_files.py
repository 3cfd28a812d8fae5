"""Reads files below /proc that take a lock of the process they describe, in a child that can be killed while
it waits.

`syscall` and `stack` take the lock of a running execve, `maps` also the memory's. Both waits end at SIGKILL:
the first ever since (fs/proc/base.c, lock_trace), the second since Linux 5.3 (fs/proc/task_mmu.c, m_start).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from unstuck.collect.node.look_starter import run_look
from unstuck.collect.node.root import Root

_TRIES = 4
_KILLABLE_MAPS = (5, 3)


def can_abandon_maps(root: Root) -> bool:
    """Tell whether a read of `maps` can be killed while the process' memory lock is held. True for a
    recorded tree.
    """
    found = re.match(r"(\d{1,4})\.(\d{1,4})", root.text("/proc/sys/kernel/osrelease", 1024) or "")
    return not root.live or (found is not None and (int(found[1]), int(found[2])) >= _KILLABLE_MAPS)


def read_lock_files(root: Root, paths: Sequence[str], cap: int, seconds: float) -> Mapping[str, str | None]:
    """Return the texts of the files that could be read in time; None for a missing or unreadable file.

    A file without an entry in the result did not answer in time. cap: bytes of each.
    """
    if not root.live:
        return {p: root.text(p, cap) for p in paths}
    out: dict[str, str | None] = {}
    todo = list(paths)
    end = time.monotonic() + seconds
    tries = _TRIES
    while todo and tries and (left := (end - time.monotonic()) / tries) > 0.02:
        begun, done = _read(root, todo, cap, left)
        out.update(zip(todo, done, strict=False))
        # The file at which it hung is left out; the next child begins after it. A child that did not even
        # begin gets the whole time.
        todo = todo[len(done) + 1 :] if begun else todo
        tries = tries - 1 if begun else 1 if tries > 1 else 0
    return out


def _read(root: Root, paths: Sequence[str], cap: int, seconds: float) -> tuple[bool, list[str | None]]:
    """Return whether the child has started, and the texts that it has read."""
    given = [root.real(p) for p in paths]
    begun, texts = False, list[str | None]()
    # Results from before the deadline are kept.
    with suppress(TimeoutError, OSError, ValueError, KeyError):
        for line in run_look(["read", str(cap)], json.dumps(given).encode(), seconds=seconds):
            if begun:
                texts.append(json.loads(line)["text"])
            begun = True
    return begun, texts
