"""Finds the open files of one file system that were deleted: their room is freed when their process closes
them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from unstuck.collect.node.look_starter import run_look
from unstuck.collect.node.mounts import mount_of
from unstuck.collect.node.open_files import OpenFiles
from unstuck.collect.node.proc import Process
from unstuck.collect.node.root import escape_name
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.aspects.node_paths import DeletedFile
from unstuck.facts.aspects.space import Space
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record

_GONE = " (deleted)"
_SECONDS = 1.0
_MOST_FILES = 200_000
_MEASURED, _TOLD = 200, 10


@record()
class _OpenFile(Record):
    process: Process
    place: str
    path: str


def find_deleted(view: NodeView, space: Space) -> tuple[DeletedFile, ...] | None:
    """Return the deleted files on a file system that still take room, the largest first; None if not every
    process' open files were seen.

    The mounts of its process show a file's file system; only a file system that has just answered is
    measured.
    """
    if not view.root.live or not space.dev:
        return None
    open_files = OpenFiles(view, _SECONDS, _MOST_FILES)
    found = [one for process, fds in open_files for one in _list_deleted_of(view, process, fds, space.dev)][
        :_MEASURED
    ]
    sizes = _measure(view, found)
    biggest: dict[tuple[int, str], DeletedFile] = {}
    for one in found:
        if size := sizes.get(one.place, 0):
            proc = view.table.as_fact(one.process)
            pod = view.pod(Ref("Pod", uid=proc.pod)) if proc.pod else None
            biggest.setdefault((proc.pid, one.path), DeletedFile(escape_name(one.path), size, proc, pod))
    items = tuple(sorted(biggest.values(), key=lambda d: (-d.bytes, d.proc.pid, d.path))[:_TOLD])
    return items if items or open_files.whole else None


def _list_deleted_of(view: NodeView, process: Process, fds: Sequence[str], dev: str) -> Iterator[_OpenFile]:
    for fd in fds:
        place = f"/proc/{process.pid}/fd/{fd}"
        target, _ = view.root.link(place)
        if not target.startswith("/") or not target.endswith(_GONE):
            continue
        path = target.removesuffix(_GONE)
        mounts = view.mounts.of_process(process.pid)
        on = mount_of(path, mounts) if mounts else None
        if on is not None and dev in (on.dev, _device_below(view, on)):
            yield _OpenFile(process, place, path)


def _device_below(view: NodeView, on: MountEntry) -> str:
    """Return the device that a container's own layer is written to; "" for anything but an overlay."""
    upper = (
        next((o.partition("=")[2] for o in on.options.split(",") if o.startswith("upperdir=")), "")
        if on.fstype == "overlay"
        else ""
    )
    below = mount_of(upper, view.home[1]) if upper else None
    return below.dev if below else ""


def _measure(view: NodeView, found: list[_OpenFile]) -> dict[str, int]:
    """Return each file's size in bytes, by its path in /proc; without files that have a name again or are
    gone by now.
    """
    if not found:
        return {}
    prefix = "" if view.root.path == "/" else view.root.path.rstrip("/")
    out: dict[str, int] = {}
    try:
        arguments = ["open", f"{_SECONDS:.2f}", *(prefix + one.place for one in found)]
        for one, line in zip(found, run_look(arguments, b"[]", seconds=_SECONDS), strict=False):
            doc = json.loads(line)
            if not doc.get("error") and doc["links"] == 0:
                out[one.place] = doc["taken"]
    except (TimeoutError, OSError, ValueError, KeyError):
        pass
    return out
