"""Looks at one path of the node: the links and directories that lead to it, its end, and its file system."""

from __future__ import annotations

import difflib
import errno
import json
import stat
from dataclasses import replace
from itertools import takewhile
from typing import Any

from unstuck.collect.node import recorded_tree
from unstuck.collect.node.deleted_files import find_deleted
from unstuck.collect.node.files import measure_spaces
from unstuck.collect.node.look_starter import run_look
from unstuck.collect.node.mount_daemons import options_of
from unstuck.collect.node.mounts import is_read_only, is_remote, mount_of
from unstuck.collect.node.path_users import find_pipe_users, find_runners
from unstuck.collect.node.space import is_low
from unstuck.collect.node.view import NodeView
from unstuck.collect.x509 import find_certificates
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.aspects.node_paths import NodePath, PathCertificate, PathLink, PathPart, PathUser
from unstuck.facts.aspects.space import Space
from unstuck.facts.core import Ref, Source
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

_SECONDS = 1.0
_DEEPEST = 60
_MAX_LINKS = 40
_ABSENT = (errno.ENOENT, errno.ENOTDIR)
# Limits: names in a directory to compare with the missing one, and names to report.
_COMPARED, _NEAREST = 2_000, 3
# Bytes of a certificate bundle, and of a file with a number; certificates to report.
_BUNDLE, _NUMBER, _CERTIFICATES = 1 << 20, 24, 300
_FILES = 20
_PEM = regex(r"\.(?:pem|crt|cer|ca-bundle|bundle)$")
# Another file of digits may be a password.
_PID_FILE = regex(r"pid$")
_KINDS = {
    stat.S_IFDIR: "directory",
    stat.S_IFREG: "file",
    stat.S_IFSOCK: "socket",
    stat.S_IFIFO: "fifo",
    stat.S_IFCHR: "character device",
    stat.S_IFBLK: "block device",
}


@record()
class Way(Record):
    """A path as far as it exists. there: its longest existing part, without links. missing: the next name, ""
    if the whole path exists.

    served: the part of the path that another machine or process serves, "" for none.
    """

    there: str
    missing: str = ""
    links: tuple[PathLink, ...] = ()
    served: str = ""


@record()
class _Seen(Record):
    """The examined parts of a path. inode: of the last part. error: of the next part, "" for none."""

    parts: tuple[PathPart, ...] = ()
    inode: int = 0
    error: str = ""


@record()
class _Use(Record):
    users: tuple[PathUser, ...] | None = None
    openers: tuple[PathUser, ...] = ()


def node_path(view: NodeView, about: Ref) -> NodePath | None:
    """Return the way to the path; None for a recorded tree that keeps no owners, and for a path that may not
    be touched.
    """
    name = about.name or ""
    path = name if name.startswith("/") else f"{view.kubelet.root_dir}/{name}"
    names = [n for n in path.split("/") if n not in ("", ".")]
    kept = view.root.live or recorded_tree.owners(view.root) is not None
    if not kept or ".." in names or len(names) > _DEEPEST:
        return None
    way = follow_path(view, names)
    seen = _look_at(view, way.there) if way else _Seen()
    if way is None or not seen.parts:
        return None
    last = seen.parts[-1]
    reached = last.path == way.there and not way.served
    space = _measure(view, last.path)
    ends = reached and not way.missing
    use = _find_use(view, last, seen.inode) if ends else _Use()
    text = _read(view, last) if ends else ""
    return NodePath(
        about=about,
        src=Source(
            f"{view.name} {way.served or last.path}",
            f"{last.uid}:{last.gid} {last.mode:04o} {last.kind}".strip(),
        ),
        whole=view.sees_node and reached,
        parts=seen.parts,
        missing=way.missing,
        space=space if reached else None,
        links=way.links,
        beside=_list_nearest_names(view, way),
        deleted=find_deleted(view, space) if view.root.live and reached and space and is_low(space) else None,
        mount=_find_mount(view, way.served or last.path),
        served=bool(way.served),
        error=seen.error,
        users=use.users,
        openers=use.openers,
        certificates=tuple(
            PathCertificate(c.subject, c.not_after) for c in find_certificates(text, _CERTIFICATES)
        )
        or (_list_certificates_in(view, last.path) if ends and last.directory else ()),
        number=int(text) if text.strip().isdigit() and len(text) <= _NUMBER else None,
    )


def _measure(view: NodeView, path: str) -> Space | None:
    if view.root.live:
        found = measure_spaces([path], view.home[1], view.own_mounts, prefix=view.prefix, seconds=_SECONDS)
    else:
        mount = mount_of(path, view.home[1])
        found = recorded_tree.spaces(view.root, {path: mount}) if mount else ()
    return next(iter(found), None)


def _may_touch(view: NodeView, path: str) -> bool:
    """Tell whether a path may be looked at; for a recorded tree, whether it was recorded."""
    if view.root.live:
        return view.may_touch(path)
    mount = mount_of(path, view.home[1])
    return mount is None or not is_remote(mount.fstype)


def _find_mount(view: NodeView, path: str) -> MountEntry | None:
    """Return the mount of a path, with only the options that hold no secret."""
    found = mount_of(path, view.home[1])
    if found is None:
        return None
    options = options_of(found)
    closed = is_read_only(found) and "ro" not in options.split(",")
    bare = "nodev" in found.options.split(",")
    added = ("ro" if closed else "", "nodev" if bare else "", options)
    return replace(found, options=",".join(filter(None, added)))


def _find_use(view: NodeView, last: PathPart, inode: int) -> _Use:
    if not view.root.live:
        return _Use()
    if last.kind == "fifo":
        users, openers, whole = find_pipe_users(view, last.path, inode)
        return _Use(users if whole or users else None, openers)
    if last.kind == "file":
        users, whole = find_runners(view, last.path, inode)
        return _Use(users if whole or users else None)
    return _Use()


def _read(view: NodeView, last: PathPart) -> str:
    """Return the text of a file of certificates or of a number; "" of any other."""
    size = last.size or 0
    most = _BUNDLE if _PEM.search(last.path) else _NUMBER if _PID_FILE.search(last.path) else 0
    if last.kind != "file" or not 0 < size <= most:
        return ""
    if not view.root.live:
        return view.root.text(last.path, _BUNDLE) or ""
    return next((text for _, text in _read_texts(view, [last.path])), "")


def _list_certificates_in(view: NodeView, directory: str) -> tuple[PathCertificate, ...]:
    """Return the first certificate of each PEM file of a directory."""
    if not view.root.live or not _may_touch(view, directory):
        return ()
    names = [n for n in (view.kubelet.files.names(directory) or ())[:_COMPARED] if _PEM.search(n)]
    paths = [f"{directory.rstrip('/')}/{n}" for n in sorted(names)[:_FILES]]
    paths = [p for p in paths if (state := view.kubelet.files.stat(p)) and 0 < state.st_size <= _BUNDLE]
    return tuple(
        PathCertificate(c.subject, c.not_after, path.rpartition("/")[2])
        for path, text in _read_texts(view, paths)
        for c in find_certificates(text, 1)
    )


def _read_texts(view: NodeView, paths: list[str]) -> list[tuple[str, str]]:
    """Return the paths with their texts, read by a child process that may hang without harm."""
    asked = json.dumps([view.prefix + path for path in paths]).encode()
    if not paths:
        return []
    try:
        answers = [json.loads(line) for line in run_look(["read", str(_BUNDLE)], asked, seconds=_SECONDS)]
    except (TimeoutError, OSError, ValueError):
        return []
    texts = [a["text"] or "" for a in answers if "file" in a]
    return list(zip(paths, texts, strict=False))


def follow_path(view: NodeView, names: list[str]) -> Way | None:
    """Follow a path and every link on it, without touching file systems that another machine or process
    answers for.
    """
    root, done, links = view.kubelet.files, "", list[PathLink]()
    todo = names[::-1]
    while todo:
        name = todo.pop()
        if name == "..":
            done = done.rpartition("/")[0]
            continue
        at = f"{done}/{name}"
        if not _may_touch(view, at):
            return Way(done or "/", "", tuple(links), served=at) if _may_touch(view, done or "/") else None
        target, error = root.link(at)
        if target:
            whole = target.startswith("/")
            links.append(PathLink(at, target if whole else f"{done}/{target}", relative=not whole))
            if len(links) > _MAX_LINKS:
                return None
            done = "" if target.startswith("/") else done
            todo += [n for n in target.split("/") if n not in ("", ".")][::-1]
        elif error in _ABSENT:
            return Way(done or "/", name, tuple(links))
        else:
            done = at
    return Way(done or "/", "", tuple(links))


def _list_nearest_names(view: NodeView, way: Way) -> tuple[str, ...]:
    """Return the existing names in its directory that are most similar to the missing name."""
    if not way.missing or not _may_touch(view, way.there):
        return ()
    names = (view.kubelet.files.names(way.there) or ())[:_COMPARED]
    return tuple(difflib.get_close_matches(way.missing, names, _NEAREST))


def _look_at(view: NodeView, path: str) -> _Seen:
    """Return the state of each directory on a path without links, up to the first one that cannot be
    examined.
    """
    names = [n for n in path.split("/") if n]
    places = ["/", *("/" + "/".join(names[:n]) for n in range(1, len(names) + 1))]
    if not all(_may_touch(view, p) for p in places):
        return _Seen()
    if not view.root.live:
        return _look_up(view, places)
    out: list[PathPart] = []
    inode, error = 0, ""
    try:
        for place, line in zip(
            places,
            run_look(["own", f"{_SECONDS:.2f}", *(view.prefix + p for p in places)], b"[]", seconds=_SECONDS),
            strict=False,
        ):
            doc = json.loads(line)
            if doc.get("error"):
                error = errno.errorcode.get(doc["error"], "EIO")
                break
            out.append(_make_part(place, doc))
            inode = doc.get("inode", 0)
    except (TimeoutError, OSError, ValueError, KeyError):
        pass
    return _Seen(tuple(out), inode, error)


def _look_up(view: NodeView, places: list[str]) -> _Seen:
    """Return the parts as the look recorded them."""
    kept = recorded_tree.owners(view.root) or {}
    found = list(takewhile(lambda place: place in kept, places))
    parts = tuple(_make_part(place, kept[place]) for place in found)
    return _Seen(parts, kept[found[-1]]["inode"] if found else 0)


def _make_part(path: str, doc: dict[str, Any]) -> PathPart:
    mode = doc["mode"]
    regular = stat.S_ISREG(mode)
    return PathPart(
        path,
        doc["uid"],
        doc["gid"],
        stat.S_IMODE(mode),
        stat.S_ISDIR(mode),
        kind=_KINDS.get(stat.S_IFMT(mode), ""),
        size=doc["size"] if regular else None,
        empty=doc["size"] == 0 if regular else doc.get("empty"),
        flags=doc.get("flags", ""),
    )
