"""Looks at one path of the node: the links and directories that lead to it, its end, and its file system."""

from __future__ import annotations

import difflib
import errno
import json
import stat

from unstuck.collect.node.deleted_files import find_deleted
from unstuck.collect.node.files import measure_spaces
from unstuck.collect.node.look_starter import run_look
from unstuck.collect.node.space import is_low
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_paths import NodePath, PathLink, PathPart
from unstuck.facts.core import Ref, Source
from unstuck.facts.record import Record, record

_SECONDS = 1.0
_DEEPEST = 60
_MAX_LINKS = 40
_ABSENT = (errno.ENOENT, errno.ENOTDIR)
# Limits: names in a directory to compare with the missing one, and names to report.
_COMPARED, _NEAREST = 2_000, 3
_KINDS = {
    stat.S_IFDIR: "directory",
    stat.S_IFREG: "file",
    stat.S_IFSOCK: "socket",
    stat.S_IFIFO: "fifo",
    stat.S_IFCHR: "character device",
    stat.S_IFBLK: "block device",
}


@record()
class _Way(Record):
    """there: the longest part of a path that is there, without links. missing: the next name, "" where all are."""

    there: str
    missing: str = ""
    links: tuple[PathLink, ...] = ()


def node_path(view: NodeView, about: Ref) -> NodePath | None:
    """Return the way to the path; None for a recorded tree, which keeps no owners, and for a path that may not be touched."""
    name = about.name or ""
    path = name if name.startswith("/") else f"{view.kubelet.root_dir}/{name}"
    names = [n for n in path.split("/") if n not in ("", ".")]
    if not view.root.live or ".." in names or len(names) > _DEEPEST:
        return None
    way = _follow(view, names)
    parts = _look_at(view, way.there) if way else ()
    if way is None or not parts:
        return None
    space = next(iter(measure_spaces([parts[-1].path], view.home[1], view.own_mounts, prefix=view.prefix, seconds=_SECONDS)), None)
    last = parts[-1]
    return NodePath(
        about=about,
        src=Source(f"{view.name} {last.path}", f"{last.uid}:{last.gid} {last.mode:04o}"),
        whole=view.sees_node and last.path == way.there,
        parts=parts,
        missing=way.missing,
        space=space,
        links=way.links,
        beside=_nearest_names(view, way),
        deleted=find_deleted(view, space) if space and is_low(space) else None,
    )


def _follow(view: NodeView, names: list[str]) -> _Way | None:
    """Follow a path and every link on it, without touching file systems that another machine or process answers for."""
    root, done, links = view.kubelet.files, "", list[PathLink]()
    todo = names[::-1]
    while todo:
        name = todo.pop()
        if name == "..":
            done = done.rpartition("/")[0]
            continue
        if not view.may_touch(done or "/"):
            return None
        at = f"{done}/{name}"
        target, error = root.link(at)
        if target:
            links.append(PathLink(at, target if target.startswith("/") else f"{done}/{target}"))
            if len(links) > _MAX_LINKS:
                return None
            done = "" if target.startswith("/") else done
            todo += [n for n in target.split("/") if n not in ("", ".")][::-1]
        elif error in _ABSENT:
            return _Way(done or "/", name, tuple(links))
        else:
            done = at
    return _Way(done or "/", "", tuple(links))


def _nearest_names(view: NodeView, way: _Way) -> tuple[str, ...]:
    """Return the names beside a missing one that are most like it."""
    if not way.missing or not view.may_touch(way.there):
        return ()
    names = (view.kubelet.files.names(way.there) or ())[:_COMPARED]
    return tuple(difflib.get_close_matches(way.missing, names, _NEAREST))


def _look_at(view: NodeView, path: str) -> tuple[PathPart, ...]:
    """Return each directory on the way to a path without links, with its state; up to the first one that cannot be examined."""
    names = [n for n in path.split("/") if n]
    places = ["/", *("/" + "/".join(names[:n]) for n in range(1, len(names) + 1))]
    if not all(view.may_touch(p) for p in places):
        return ()
    out: list[PathPart] = []
    try:
        for place, line in zip(
            places, run_look(["own", f"{_SECONDS:.2f}", *(view.prefix + p for p in places)], b"[]", seconds=_SECONDS), strict=False
        ):
            doc = json.loads(line)
            if doc.get("error"):
                break
            mode = doc["mode"]
            directory, regular = stat.S_ISDIR(mode), stat.S_ISREG(mode)
            out.append(
                PathPart(
                    place,
                    doc["uid"],
                    doc["gid"],
                    stat.S_IMODE(mode),
                    directory,
                    kind=_KINDS.get(stat.S_IFMT(mode), ""),
                    size=doc["size"] if regular else None,
                    empty=doc["size"] == 0 if regular else doc.get("empty"),
                )
            )
    except (TimeoutError, OSError, ValueError, KeyError):
        pass
    return tuple(out)
