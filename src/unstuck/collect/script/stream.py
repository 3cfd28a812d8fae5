"""The stream that `collect.sh` prints, read into memory: files, links and directories of a node. Its lines
are described in the script.

For any lines, reading takes time and memory linear in their length; a line outside the format is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from unstuck.facts.record import Record, record
from unstuck.facts.text import Messages, Text

say = Messages(__name__)

VERSION = 1
LARGEST = 64 << 20
_HEAD = b"#unstuck "
_LONGEST_PATH = 4096
_MAX_ENTRIES = 1_000_000
# ls -b: C's escape letters, octal, and a backslash before a literal character.
_ESCAPE = re.compile(rb"\\(?:([0-3][0-7]{2})|(.))", re.DOTALL)
_LETTERS = {
    b"n": b"\n",
    b"t": b"\t",
    b"r": b"\r",
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"v": b"\v",
    b"e": b"\x1b",
}


class NoStreamError(ValueError):
    """The input is not such a stream, or has a later format."""

    def __init__(self, said: Text) -> None:
        super().__init__(said.en)
        self.said = said


@dataclass(slots=True)
class RecordedLook:
    """The files of one look, by absolute path. closed: without permission to read. listed: directories,
    and files without content.
    """

    files: dict[str, list[bytes]] = field(default_factory=dict)
    links: dict[str, bytes] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    nul: set[str] = field(default_factory=set)

    def text(self, path: str) -> bytes | None:
        """Return a file's content, None if there is none."""
        lines = self.files.get(path)
        if lines is None:
            return None
        end = b"\0" if path in self.nul else b"\n"
        return b"".join(line + end for line in lines)


@record()
class Recording(Record):
    """A whole stream. done: sections that came to their end. ended: the last line came. refused: why the
    script did not look, or "".
    """

    first: RecordedLook
    again: RecordedLook
    done: frozenset[str]
    ended: bool
    refused: str = ""


def is_stream(head: bytes) -> bool:
    """Tell whether a file that begins like this is such a stream."""
    return head.startswith(_HEAD)


def parse(data: bytes) -> Recording:
    """Read a stream. Errors: NoStreamError if the input is not one, or has a later format."""
    head, _, rest = data[:LARGEST].partition(b"\n")
    number = head[len(_HEAD) :].strip()
    if not is_stream(head) or not number.isdigit():
        raise NoStreamError(say("this is not what `unstuck node --script` prints on a node"))
    if int(number[:6]) > VERSION:
        later = int(number[:6])
        raise NoStreamError(
            say(
                "it comes from a later version of the script ({later}); this one reads {version}",
                later=later,
                version=VERSION,
            )
        )
    reading = _StreamReader()
    lines = rest.split(b"\n")
    # The last line has no end: it was cut off. So was a line just before a section was.
    for at, line in enumerate(lines[:-1]):
        if line and not (lines[at + 1].startswith(b"#cut ") and not line.startswith(b"#")):
            reading.take(line)
        if reading.ended or reading.left <= 0:
            break
    return Recording(reading.first, reading.again, frozenset(reading.done), reading.ended, reading.refused)


class _StreamReader:
    """The state between lines. at: the file whose lines follow."""

    def __init__(self) -> None:
        self.first, self.again = RecordedLook(), RecordedLook()
        self.look = self.first
        self.done: set[str] = set()
        self.ended = False
        self.refused = ""
        self.left = _MAX_ENTRIES
        self.at: list[bytes] | None = None

    def take(self, line: bytes) -> None:
        take = _KINDS.get(line[:1])
        if take is not None:
            self.left -= 1
            take(self, line)

    def content(self, line: bytes) -> None:
        if self.at is not None:
            self.at.append(line[1:])

    def command(self, line: bytes) -> None:
        self.at = None
        word, _, name = line[1:].partition(b" ")
        if word in (b"again", b"first"):
            self.look = self.again if word == b"again" else self.first
        elif word in (b"done", b"cut"):
            self.look = self.first
            if word == b"done":
                self.done.add(_decode(name))
        elif word == b"end":
            self.ended = True
        elif word == b"refused":
            self.refused = _decode(name)[:200]

    def one_line(self, line: bytes) -> None:
        self.at = None
        path, colon, text = line.partition(b":")
        if colon and (name := _parse_path(path)):
            self.look.files.setdefault(name, []).append(text)

    def file(self, line: bytes) -> None:
        self.at = None
        name = _parse_path(line[2:])
        if line[1:2] == b" " and name:
            self.at = self.look.files[name] = []
            if line[:1] == b"z":
                self.look.nul.add(name)

    def listed(self, line: bytes) -> None:
        self.at = None
        if line[1:2] == b" " and (name := _parse_path(line[2:])):
            (self.look.closed if line[:1] == b"x" else self.look.listed).add(name)

    def link(self, line: bytes) -> None:
        self.at = None
        path, _, target = line[2:].partition(b" ")
        if line[1:2] == b" " and target and (name := _parse_path(path)):
            self.look.links[name] = _unescape(target) if line[:1] == b"b" else target


_KINDS: Mapping[bytes, Callable[[_StreamReader, bytes], None]] = {
    b" ": _StreamReader.content,
    b"#": _StreamReader.command,
    b"/": _StreamReader.one_line,
    b"f": _StreamReader.file,
    b"z": _StreamReader.file,
    b"d": _StreamReader.listed,
    b"x": _StreamReader.listed,
    b"l": _StreamReader.link,
    b"b": _StreamReader.link,
}


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _parse_path(data: bytes) -> str | None:
    """Return an absolute path without `.`, `..` and empty parts; None for anything else."""
    if not data.startswith(b"/") or len(data) > _LONGEST_PATH or b"\0" in data:
        return None
    parts = data[1:].split(b"/")
    return None if any(p in (b"", b".", b"..") for p in parts) else _decode(data)


def _unescape(data: bytes) -> bytes:
    return (
        _ESCAPE.sub(lambda m: bytes([int(m[1], 8)]) if m[1] else _LETTERS.get(m[2], m[2]), data)
        if b"\\" in data
        else data
    )
