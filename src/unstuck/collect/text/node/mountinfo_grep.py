"""`grep ID /proc/*/mountinfo`, or of `/proc/*/mounts`: the mount namespaces that still see a mount, with one
process of each.

Source: proc_pid_mountinfo(5), proc_pid_mounts(5).
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.facts.aspects.host import MountHolder, MountHolders, Proc
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_ROW = regex(
    r"^/proc/(?P<pid>\d{1,10})/(?:task/\d{1,10}/)?mountinfo:(?:\d{1,9}:)?\d{1,10} \d{1,10} "
    r"(?P<dev>\d{1,9}:\d{1,9}) "
    r"(?P<root>\S{1,4096}) (?P<point>/\S{0,4095}) \S{1,2048} "
)
# `grep ID /proc/*/mounts`, which has no device numbers: rows of one source and type are one mount.
_OF_MOUNTS = regex(
    r"^/proc/(?P<pid>\d{1,10})/mounts:(?:\d{1,9}:)?(?P<source>\S{1,4096}) (?P<point>/\S{0,4095}) "
    r"(?P<type>[a-z][\w.-]{0,63}) (?:rw|ro)\b"
)
_NAMES_ONLY = regex(r"^/proc/(?P<pid>\d{1,10})/mountinfo$")


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of consecutive rows."""
    end = i
    while (
        end < len(lines)
        and lines[end].startswith("/proc/")
        and (_parse_row(lines[end]) or _NAMES_ONLY.match(lines[end]))
    ):
        end += 1
    return end if end > i else None


def _parse_row(line: str) -> tuple[str, str, str] | None:
    """Return (pid, mount point, key of the mount)."""
    if found := _ROW.match(line):
        return found["pid"], found["point"], found["dev"]
    if found := _OF_MOUNTS.match(line):
        return found["pid"], found["point"], f"{found['source']} {found['type']}"
    return None


def read(piece: Piece) -> Reading:
    """Return MountHolders about each mount point. Whose namespaces they are, and whether foreign, is not
    shown: never whole.

    The holder's path may be below another one (`…/merged/data/docker/…/merged`): both name the same mount,
    the shorter path is its own.
    """
    rows: list[tuple[int, str, str, str]] = []
    for n, line in enumerate(piece.lines):
        if found := _parse_row(line):
            rows.append((n, *found))
    out = Reading()
    points = {dev: min((p for _, _, p, d in rows if d == dev), key=len) for _, _, _, dev in rows}
    node = piece.node.name if piece.node else None
    for dev, point in points.items():
        mine = [(n, pid, p) for n, pid, p, d in rows if d == dev]
        holders = tuple(dict.fromkeys(MountHolder(Proc(int(pid), ""), "", p) for _, pid, p in mine))
        out.facts.append(
            MountHolders(
                about=Ref("Mount", node, point), src=piece.src(mine[0][0]), items=holders, whole=False
            )
        )
    return out
