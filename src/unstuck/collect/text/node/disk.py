"""`df` and `df -i`: the usage of the file systems of the kubelet, the runtime and the logs.

Source: coreutils src/df.c (headers by its options, English and Chinese; a long device name stands on its own
line), df(1). Other file systems (`/snap/…`, `/boot`) are full by nature or irrelevant, and are not reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.node.places import find_named_directories, find_roles
from unstuck.facts.aspects.space import DiskSpace, Space
from unstuck.facts.regex import regex

_HEADER = regex(r"^\s*(?:Filesystem|文件系统)\s.*(?:Mounted on|挂载点)\s*$")
_UNIT = regex(
    r"\s(?:(?P<count>\d{1,7})(?P<unit>[KMG]?)B?-(?:blocks|块)|(?P<human>Size|容量|大小)|(?P<inodes>Inodes?)\s)"
)
_AMOUNT = r"(?:\d{1,20}|\d{1,6}(?:[.,]\d{1,2})?[KMGTPE]i?B?|-)"
_ROW = regex(
    rf"^\s*(?P<device>\S{{1,1024}})?\s+(?:(?P<type>[a-z][\w.-]{{1,32}})\s+)?(?P<size>{_AMOUNT})\s+(?P<used>{_AMOUNT})\s+(?P<free>-?{_AMOUNT})\s+"
    r"(?P<percent>\d{1,3}%|-)\s+(?P<point>/.{0,1023}?)\s*$"
)
# More than any threshold of the kubelet.
_AMPLE = 0.3
# Images of packages and discs, by device, type and mount point.
_FULL_BY_NATURE = regex(
    r"/dev/(?:loop|sr)\d|\S* (?:squashfs|iso9660|udf) |.* /(?:snap|proc|sys|media|cdrom)/?"
)
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the header and the rows below it."""
    if not _HEADER.match(lines[i]):
        return None
    end, n = i + 1, i + 1
    while n < len(lines):
        if _ROW.match(lines[n]):
            end = n = n + 1
        elif (
            len(lines[n].split()) == 1
            and n + 1 < len(lines)
            and lines[n + 1][:1].isspace()
            and _ROW.match(lines[n + 1])
        ):
            end = n = n + 2
        else:
            break
    return end


def read(piece: Piece) -> Reading:
    """Return DiskSpace about the Node, never whole: the paste may be incomplete."""
    unit = _UNIT.search(piece.lines[0])
    rows = [(n, found) for n, line in enumerate(piece.lines) if n and (found := _ROW.match(line))]
    inodes = unit is not None and unit["inodes"] is not None
    factor = (int(unit["count"]) * 1024 ** _POWERS[unit["unit"]] if unit and unit["count"] else 1) or 1
    points = [found["point"] for _, found in rows]
    # If only some were listed, a place may be on an unlisted one.
    listed = len(rows) > 1 and (
        piece.command is None or not (piece.command.is_filtered or piece.command.arguments)
    )
    named = None if listed else find_named_directories("df", piece.command, len(rows))
    held = {point: find_roles(point, points, named) for point in points}
    spaces = [
        (n, s)
        for n, found in rows
        if (s := _make_space(found, inodes, factor, held[found["point"]])) is not None
    ]
    if not spaces:
        return Reading()
    worst, space = min(spaces, key=lambda one: _free_share(one[1]))
    # Of an unnamed machine, or of a container, room is no news: it would make a Node of a listing.
    if piece.node is None and piece.context.short and _free_share(space) > _AMPLE:
        return Reading()
    about = piece.node or piece.block("Node")
    return Reading(
        [DiskSpace(about=about, src=piece.src(worst), items=tuple(s for _, s in spaces), whole=False)]
    )


def _make_space(row: re.Match[str], inodes: bool, factor: int, holds: tuple[str, ...]) -> Space | None:
    point = row["point"]
    size, free = _parse_amount(row["size"], factor), _parse_amount(row["free"].lstrip("-"), factor)
    if not holds or size is None or free is None:
        return None
    free = 0 if row["free"].startswith("-") else free
    type_ = row["type"] or ""
    if inodes:
        return Space(point, 0, 0, size, free, mountpoint=point, fstype=type_, holds=holds)
    return Space(point, size, free, 0, 0, mountpoint=point, fstype=type_, holds=holds)


def _parse_amount(text: str, factor: int) -> int | None:
    """Parse `1000` in the header's unit, or `1.5G` as df -h writes it."""
    if text == "-":
        return None
    found = re.fullmatch(r"(\d{1,20})|(\d{1,6}(?:[.,]\d{1,2})?)([KMGTPE])i?B?", text)
    if found is None:
        return None
    if found[1]:
        return int(found[1]) * factor
    return int(Decimal(found[2].replace(",", ".")) * 1024 ** _POWERS[found[3]])


def _free_share(space: Space) -> float:
    size = space.bytes or space.inodes
    return (space.bytes_free if space.bytes else space.inodes_free) / size if size else 1.0


@dataclass(frozen=True, slots=True)
class FullRow:
    """A row of a full file system. n: its index among the lines. size: as printed."""

    n: int
    point: str
    device: str
    size: str
    inodes: bool


def list_full(lines: Sequence[str]) -> Iterator[FullRow]:
    """Yield the rows of file systems without any room left, unless they are full by nature."""
    inodes = False
    for n, line in enumerate(lines):
        if _HEADER.match(line):
            unit = _UNIT.search(line)
            inodes = unit is not None and unit["inodes"] is not None
        elif (
            (row := _ROW.match(line))
            and row["percent"] == "100%"
            and row["free"].startswith(("0", "-"))
            and not _FULL_BY_NATURE.match(f"{row['device'] or ''} {row['type'] or ''} {row['point']}")
        ):
            yield FullRow(n, row["point"], row["device"] or "", row["size"], inodes)
