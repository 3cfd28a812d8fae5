"""Reads the end of a program's own log file on the node: the named file, or the newest of a directory."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from datetime import UTC, datetime

from unstuck.collect.masking import mask
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_files import FileLines
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex

_TAIL, _LINES, _LONGEST = 64 << 10, 20, 2000
_MOST_NAMES = 400
# Another file may hold data of users, or a secret.
_LOG = regex(r"(?i)^[\w.@+-]*(?:log|\.out|\.err|stdout|stderr|errors?)(?:[.-]?\d{1,10})?(?:\.txt)?$")
_DEEPEST = 60


def file_lines(view: NodeView, about: Ref) -> FileLines | None:
    """Return the last lines; None where there is no such log, it is empty, or it may not be touched."""
    name = about.name or ""
    path = name if name.startswith("/") else f"{view.kubelet.root_dir}/{name}"
    parts = path.split("/")
    if ".." in parts or len(parts) > _DEEPEST or not view.may_touch(path):
        return None
    from unstuck.wording.program.read import find_complaint  # the words of some hundred programs

    for file, at in _list_logs(view, path):
        if lines := _read_end(view, file):
            return FileLines(
                about=about,
                src=Source(f"{view.name} {file}", lines[-1][:200], at),
                path=file,
                lines=lines,
                written=at,
                complaint=find_complaint(lines),
                whole=False,
            )
    return None


def _list_logs(view: NodeView, path: str) -> Iterator[tuple[str, datetime | None]]:
    """Yield the log itself, or the logs of a directory, the newest first."""
    files = view.kubelet.files
    found = files.stat(path)
    if found is None:
        return
    if not stat.S_ISDIR(found.st_mode):
        if stat.S_ISREG(found.st_mode) and _LOG.match(path.rpartition("/")[2]):
            yield path, _find_written(found.st_mtime)
        return
    inside = []
    for name in (files.names(path) or ())[:_MOST_NAMES]:
        file = f"{path.rstrip('/')}/{name}"
        state = files.stat(file) if _LOG.match(name) and view.may_touch(file) else None
        if state is not None and stat.S_ISREG(state.st_mode) and state.st_size:
            inside.append((state.st_mtime, file))
    yield from ((file, _find_written(at)) for at, file in sorted(inside, reverse=True))


def _find_written(seconds: float) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds else None


def _read_end(view: NodeView, path: str) -> tuple[str, ...]:
    state = view.kubelet.files.stat(path)
    data = view.kubelet.files.data(path, _TAIL, max(0, state.st_size - _TAIL)) if state else None
    if not data or b"\0" in data:
        return ()
    lines = data.decode("utf-8", "backslashreplace").split("\n")
    return tuple(mask(line.rstrip()[:_LONGEST]) for line in lines if line.strip())[-_LINES:]
