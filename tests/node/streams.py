"""Streams in the shell collector's format, made from recorded trees."""

from __future__ import annotations

import os
from pathlib import Path

SECTIONS = (
    "host",
    "processes",
    "mounts",
    "pod",
    "daemon",
    "flags",
    "holds",
    "runtimes",
    "logs",
    "units",
    "space",
    "health",
    "again",
)


def stream_of(top: Path, *, done: tuple[str, ...] = SECTIONS, again: bool = True, end: bool = True) -> bytes:
    """Return a tree's files, links and directories as one stream. again: with a second equal look."""
    first = list(_make_lines(top))
    out = [b"#unstuck 1", *first, *(b"#done " + name.encode() for name in done if name != "again")]
    if again:
        out += [b"#again", *first]
    out += [b"#done again"] if "again" in done else []
    return b"\n".join([*out, *([b"#end"] if end else []), b""])


def _make_lines(top: Path) -> list[bytes]:
    out: list[bytes] = []
    for directory, names, files in os.walk(top):
        at = Path(directory)
        path = b"/" + os.fsencode(at.relative_to(top))
        out += [b"d " + path] if path != b"/." else []
        for name in sorted([*names, *files]):
            file = at / name
            inner = b"/" + os.fsencode(file.relative_to(top))
            if file.is_symlink():
                out.append(b"l " + inner + b" " + os.fsencode(file.readlink()))
            elif file.is_file():
                data = file.read_bytes()
                nul = b"\0" in data
                end = b"\0" if nul else b"\n"
                lines = data.split(end)
                out += [
                    (b"z " if nul else b"f ") + inner,
                    *(b" " + line for line in (lines if lines[-1] else lines[:-1])),
                ]
    return out
