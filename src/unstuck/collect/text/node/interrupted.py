"""A command that was interrupted with Ctrl-C, on a path of a network volume: it had not returned, like a
touch of a hanging mount.

Sources: strace(1) (the waiting call is last and has no result), the kubelet's directories of volumes
(pkg/volume/util/util.go).
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.facts.aspects.host import WaitingMount, WaitingMounts
from unstuck.facts.aspects.touched import Touched
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_TYPES = {"nfs": "nfs", "glusterfs": "fuse.glusterfs", "cephfs": "ceph"}
_BROKEN_OFF = regex(r"\^C(?:\^[A-Z\\])?\s*$")
_ALONE = regex(r"^\s*(?:\^[A-Z\\]){0,4}\^C(?:\^[A-Z\\]){0,4}\s*$")
_MOUNT = regex(
    r"(?P<point>/[^\s\"]{1,200}/pods/[0-9a-f-]{32,36}/volumes/kubernetes\.io~"
    rf"(?P<plugin>{'|'.join(_TYPES)})/[^\s/\"]{{1,253}})(?=[\s/\"]|$)"
)
_CALL = regex(r"^\s*(?:\[pid +\d{1,10}\] )?(?:[\d:.]{5,20} )?[a-z]\w{1,20}\([^()]{0,40}\"/")
# These only look; a command that reads or copies may have much to do.
_LOOK = ("ls", "stat", "df", "cd", "findmnt", "mountpoint")


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the last line of such a command; with output, the command had finished before Ctrl-C."""
    if "^C" not in lines[i]:
        return None
    silent = not any(line.strip() for line in lines[:i])
    return i + 1 if _find_mount(lines[i], command if silent else None) else None


def _find_mount(line: str, command: TypedCommand | None) -> tuple[str, str] | None:
    """Return (mount point, file system) of the hung access."""
    if not _BROKEN_OFF.search(line):
        return None
    looked = (
        command is not None and command.program in _LOOK and not command.is_filtered and _ALONE.match(line)
    )
    text = command.text if looked and command else line if _CALL.match(line) else ""
    found = [*_MOUNT.finditer(text)]
    return (found[0]["point"], _TYPES[found[0]["plugin"]]) if len(found) == 1 else None


def read(piece: Piece) -> Reading:
    """Return the mount and that a touch of it did not return, never whole: the time waited is not shown."""
    told = _find_mount(piece.lines[0], piece.command)
    if told is None:
        return Reading(understood=False)
    point, type_ = told
    node = piece.node or piece.block("Node")
    mount = WaitingMount(type_, "", "", (point,), None)
    return Reading(
        [
            WaitingMounts(about=node, src=piece.src(0), items=(mount,), whole=False),
            Touched(about=Ref("Mount", node.name, point), src=piece.src(0), returned=False, whole=False),
        ]
    )
