"""`find /sys/fs/cgroup -type d -name '*UID*'`: shows the existence of a Pod's cgroup directories, not their
content.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.facts.aspects.host import PodCgroup
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_UID = r"[0-9a-f]{8}(?P<sign>[-_])[0-9a-f]{4}(?P=sign)[0-9a-f]{4}(?P=sign)[0-9a-f]{4}(?P=sign)[0-9a-f]{12}"
_ROW = regex(
    rf"^(?P<own>/sys/fs/cgroup(?:/[^/\s]{{1,255}}){{0,32}}?/[^/\s]{{0,128}}pod(?P<uid>{_UID})[^/\s]{{0,32}})(?:/\S{{0,2048}})?\s*$"
)


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of consecutive rows."""
    return find_end_of_run(lines, i, _match_row) if _match_row(lines[i]) else None


def _match_row(line: str) -> object:
    return _ROW.match(line) if line.startswith("/sys/fs/cgroup/") else None


def read(piece: Piece) -> Reading:
    """Return PodCgroup about each Pod by its uid; never whole."""
    out = Reading()
    own: dict[str, list[tuple[int, str, str]]] = {}
    for n, line in enumerate(piece.lines):
        if found := _ROW.match(line):
            own.setdefault(found["uid"].replace("_", "-"), []).append((n, found["own"], line.strip()))
    for uid, rows in own.items():
        paths = dict.fromkeys(path for _, path, _ in rows)
        below = tuple(line for _, path, line in rows if line != path)
        out.facts.append(
            PodCgroup(
                about=Ref("Pod", uid=uid),
                src=piece.src(rows[0][0]),
                paths=tuple(paths),
                below=below,
                whole=False,
            )
        )
    return out
