"""Looks at one path of the node: the owner and mode of each directory that leads to it, and the file system that it lies on."""

from __future__ import annotations

import json
import stat

from unstuck.collect.node.files import measure_spaces
from unstuck.collect.node.look_starter import run_look
from unstuck.collect.node.space import resolve
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_paths import NodePath, PathPart
from unstuck.facts.core import Ref, Source

_SECONDS = 1.0
_DEEPEST = 60


def node_path(view: NodeView, about: Ref) -> NodePath | None:
    """Return what the path leads to; None for a recorded tree, which keeps no owners, and for what may not be touched."""
    name = about.name or ""
    path = name if name.startswith("/") else f"{view.kubelet.root_dir}/{name}"
    names = [n for n in path.split("/") if n not in ("", ".")]
    if not view.root.live or ".." in names or len(names) > _DEEPEST:
        return None
    there, missing = _find_existing(view, names)
    parts = _look_at(view, there) if there else ()
    if not parts:
        return None
    space = measure_spaces([parts[-1].path], view.home[1], view.own_mounts, prefix=view.prefix, seconds=_SECONDS)
    last = parts[-1]
    return NodePath(
        about=about,
        src=Source(f"{view.name} {last.path}", f"{last.uid}:{last.gid} {last.mode:04o}"),
        whole=view.sees_node and last.path == there,
        parts=parts,
        missing=missing,
        space=next(iter(space), None),
    )


def _find_existing(view: NodeView, names: list[str]) -> tuple[str, str]:
    """Return the longest part of the path that is there, its links resolved, and the first name that is not, "" where all are."""
    for count in range(len(names), 0, -1):
        if found := resolve(view, "/" + "/".join(names[:count])):
            return found, names[count] if count < len(names) else ""
    return ("/", names[0]) if names else ("/", "")


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
            out.append(PathPart(place, doc["uid"], doc["gid"], stat.S_IMODE(doc["mode"]), stat.S_ISDIR(doc["mode"])))
    except (TimeoutError, OSError, ValueError, KeyError):
        pass
    return tuple(out)
