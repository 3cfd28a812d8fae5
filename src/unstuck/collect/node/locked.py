"""Files below /proc whose reading takes a lock of the process they tell of: read in a child, which can be ended while it waits.

`syscall` and `stack` take the lock of a running execve, `maps` also the memory's. Both waits end at SIGKILL: the first ever since
(fs/proc/base.c, lock_trace), the second since Linux 5.3 (fs/proc/task_mmu.c, m_start).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from unstuck.collect.node.looking import look_lines
from unstuck.collect.node.root import Root

_TRIES = 4
_KILLABLE_MAPS = (5, 3)


def maps_can_be_left(root: Root) -> bool:
    """Whether reading `maps` of a process whose memory lock is never released can be ended. True for a recorded tree."""
    found = re.match(r"(\d{1,4})\.(\d{1,4})", root.text("/proc/sys/kernel/osrelease", 1024) or "")
    return not root.live or (found is not None and (int(found[1]), int(found[2])) >= _KILLABLE_MAPS)


def read_locked(root: Root, paths: Sequence[str], cap: int, seconds: float) -> Mapping[str, str | None]:
    """The texts of those files that could be read in time; None for one that does not exist or may not be read.

    What is missing in the answer was not returned. cap: bytes of each.
    """
    if not root.live:
        return {p: root.text(p, cap) for p in paths}
    out: dict[str, str | None] = {}
    todo = list(paths)
    end = time.monotonic() + seconds
    for turn in range(_TRIES):
        left = (end - time.monotonic()) / (_TRIES - turn)
        if not todo or left <= 0.02:
            break
        done = _read(root, todo, cap, left)
        out.update(zip(todo, done, strict=False))
        # The one at which it stayed is left out; the next child begins behind it.
        todo = todo[len(done) + 1 :]
    return out


def _read(root: Root, paths: Sequence[str], cap: int, seconds: float) -> list[str | None]:
    given = [root.real(p) for p in paths]
    texts: list[str | None] = []
    # What came before the deadline is kept.
    with suppress(TimeoutError, OSError, ValueError, KeyError):
        texts.extend(json.loads(line)["text"] for line in look_lines(["read", str(cap)], json.dumps(given).encode(), seconds=seconds))
    return texts
