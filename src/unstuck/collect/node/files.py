"""Searches for immutable and append-only files, only on file systems that need no other machine or process
to answer.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from unstuck.collect.node.look import NAME
from unstuck.collect.node.look_starter import run_look
from unstuck.collect.node.mounts import Mounts, is_local, is_read_only, mount_of
from unstuck.collect.node.proc import ProcessTable
from unstuck.facts.aspects.host import FlaggedFile, MountEntry
from unstuck.facts.aspects.space import Consumer, Space
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.record import Record, record

_TRIES = 3
_MAX_LISTED = 50


@record()
class SearchPlan(Record):
    """The directories to search. tops: those on local file systems, one for each mount. avoid: all mount
    points below them.

    left: paths that must not be looked at, and why, one line each. flagless: tops on file systems that either
    report flags or have none.
    """

    tops: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    flagless: tuple[str, ...] = ()


@dataclass(slots=True)
class FileSearch:
    """The result of a search. walked: the directories that were walked. skipped: the other directories, with
    reasons.
    """

    files: list[FlaggedFile] = field(default_factory=list)
    walked: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def plan_search(directories: Iterable[str], *tables: Mounts) -> SearchPlan:
    """Return which directories may be walked: only directories that every mount table puts on a local file
    system.

    tables: the mounts as the kubelet sees them and as we see them, with the same paths.
    """
    tops: list[str] = []
    avoid: list[str] = []
    left: list[str] = []
    for directory in directories:
        below = {
            e.mountpoint
            for t in tables
            for e in t
            if is_at_or_below(e.mountpoint, directory) and e.mountpoint != directory
        }
        avoid += below
        for place in sorted({directory, *below}):
            on = [e for t in tables if (e := mount_of(place, t))]
            foreign = next((e for e in on if not is_local(e.fstype)), None)
            if foreign is None and on:
                tops.append(place)
            elif foreign is not None:
                left.append(f"{place} (a {foreign.fstype} file system, not touched)")
            else:
                left.append(f"{place} (its file system is not known)")
    # tmpfs learned to have these flags and to report them in one step (Linux 6.0, mm/shmem.c).
    flagless = [
        p
        for p in tops
        if all((e := mount_of(p, t)) and e.fstype in ("tmpfs", "ramfs", "hugetlbfs") for t in tables)
    ]
    return SearchPlan(
        tuple(dict.fromkeys(tops)), tuple(dict.fromkeys(avoid)), tuple(dict.fromkeys(left)), tuple(flagless)
    )


def find_flagged(
    plan_: SearchPlan, prefix: str = "", *, seconds: float = 2.0, entries: int = 20_000
) -> FileSearch:
    """Walk in child processes: if one hangs, its directory is reported as skipped and the next child goes on
    after it.

    prefix: the node's root on this machine, put before each path and taken off again.
    """
    end = time.monotonic() + seconds
    search = FileSearch(skipped=list(plan_.skipped))
    todo = list(plan_.tops)
    for _ in range(_TRIES):
        if not todo:
            break
        todo, hung = _walk(todo, plan_, prefix, end, entries, search)
        if hung is not None:
            search.skipped.append(hung)
    search.skipped += [f"{d} (no time left)" for d in todo]
    del search.skipped[_MAX_LISTED:]
    return search


def _walk(
    tops: list[str], plan_: SearchPlan, prefix: str, end: float, entries: int, search: FileSearch
) -> tuple[list[str], str | None]:
    """Return the directories still to be walked, and the one in which the child hangs."""
    left = end - time.monotonic()
    if left <= 0.05:
        return tops, None
    arguments = ["flags", f"{left * 0.9:.2f}", str(entries), *(prefix + t for t in tops)]
    done = 0
    try:
        for line in run_look(arguments, json.dumps([prefix + a for a in plan_.avoid]).encode(), seconds=left):
            _add_answer(json.loads(line), tops[done], plan_, prefix, search)
            done += 1
    except (TimeoutError, OSError, ValueError, IndexError):
        pass
    if done >= len(tops):
        return [], None
    return tops[done + 1 :], f"{tops[done]} (looking did not return)"


def _add_answer(doc: dict[str, Any], top: str, plan_: SearchPlan, prefix: str, search: FileSearch) -> None:
    search.walked.append(top)
    if doc.get("error"):
        # Even if it is gone: another mount namespace may show it from here and not to the kubelet.
        search.skipped.append(f"{top} (errno {doc['error']})")
        return
    search.files += [FlaggedFile(_strip_prefix(p, prefix), flags) for p, flags in doc.get("files", ())]
    search.skipped += [_strip_prefix(p, prefix) for p in doc.get("skipped", ())]
    if doc.get("unsupported") and top not in plan_.flagless:
        search.skipped.append(f"{top} (flags are not told there)")


def _strip_prefix(path: str, prefix: str) -> str:
    return path[len(prefix) :] if prefix and path.startswith(prefix) else path


def find_hung_look(table: ProcessTable, directories: Sequence[str]) -> int | None:
    """Return the pid of an earlier look at one of these directories that still hangs. Until it returns,
    the look is not repeated.
    """
    looks = [p for p in table.user if p.stat.comm == NAME and p.stat.state == "D"]
    for process in looks:
        if table.as_steady_fact(process).stuck_threads:
            # A hanging look-up holds no memory lock: this command line, our own, can be read. That of a fork
            # (look_starter.py) does not name the path, which may then be any of them.
            words = (table.root.text(f"/proc/{process.pid}/cmdline", 1 << 20) or "").split("\0")
            if any(word in directories for word in words) or not any(
                word.endswith("look.py") for word in words
            ):
                return process.pid
    return None


def measure_spaces(
    paths: Sequence[str], *tables: Mounts, prefix: str = "", seconds: float = 1.0
) -> tuple[Space, ...]:
    """Return the sizes of the paths on local file systems, measured in a child. The first table names their
    mounts.
    """
    local = [(p, on[0]) for p in paths if (on := _list_local_mounts(p, tables))]
    arguments = ["space", f"{seconds:.2f}", *(prefix + p for p, _ in local)]
    out = []
    try:
        for (path, mount), line in zip(local, run_look(arguments, b"[]", seconds=seconds), strict=False):
            doc = json.loads(line)
            if not doc.get("error"):
                (size, free), (inodes, inodes_free) = doc["bytes"], doc["inodes"]
                # As the node has it mounted: where we look from it may be read-only for us alone.
                read_only = is_read_only(mount)
                out.append(
                    Space(
                        path,
                        size,
                        free,
                        inodes,
                        inodes_free,
                        mount.mountpoint,
                        mount.fstype,
                        mount.dev,
                        read_only,
                    )
                )
    except (TimeoutError, OSError, ValueError, KeyError):
        pass
    return tuple(out)


def _list_local_mounts(path: str, tables: Sequence[Mounts]) -> list[MountEntry]:
    """Return the mounts that the path is on, one of each table; none where not all of them are known to be
    local.
    """
    on = [e for t in tables if (e := mount_of(path, t)) is not None and is_local(e.fstype)]
    return on if len(on) == len(tables) else []


def find_consumers(
    directories: Sequence[str], *tables: Mounts, prefix: str = "", seconds: float = 1.0, entries: int = 60_000
) -> tuple[list[Consumer], list[str]]:
    """Return the largest directories at and below these, each within one file system; and the uncounted
    directories.

    A directory below another one is counted only for itself. prefix: as of `find_flagged`.
    """
    walk = plan_search(directories, *tables)
    tops = [d for d in dict.fromkeys(directories) if d in walk.tops]
    left = [line for line in walk.skipped if line.partition(" (")[0] in directories]
    avoid = [prefix + p for p in (*walk.avoid, *tops)]
    arguments = ["use", f"{seconds * 0.8:.2f}", str(entries), *(prefix + t for t in tops)]
    out: list[Consumer] = []
    done = 0
    try:
        for line in run_look(arguments, json.dumps(avoid).encode(), seconds=seconds):
            doc = json.loads(line)
            out += [
                Consumer(_strip_prefix(p, prefix), size, inodes, partly)
                for p, size, inodes, partly in doc.get("used", ())
            ]
            left += [f"{tops[done]} (errno {doc['error']})"] if doc.get("error") else []
            done += 1
    except (TimeoutError, OSError, ValueError, KeyError, IndexError):
        pass
    left += [f"{t} (not counted in time)" for t in tops[done:]]
    left += [f"{c.path} (not all of it counted)" for c in out if c.partly]
    return out, left
