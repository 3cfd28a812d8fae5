"""tar, as a stream: headers and the bytes of regular files, in constant memory.

`tarfile` keeps a record of every member and reads an extended header of any size whole: a million members
take a gigabyte. This reader knows only what we need: ustar, GNU long names, pax paths and sizes.
Links, devices and directories are skipped; the target of a name does not matter, because nothing is written.

Source: POSIX.1-2017 pax (ustar and extended headers), GNU tar manual, Basic Tar Format.
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.bundle.limits import Budget, LimitReachedError
from unstuck.collect.bundle.streams import StreamSource
from unstuck.facts.text import Messages

say = Messages(__name__)

BLOCK = 512
_LONGEST_NAME = 64 * 1024
_CHUNK = 1 << 20


class Member:
    """A regular file's bytes; unread ones are skipped. written: in seconds since 1970, None if that is no
    number.
    """

    def __init__(self, tar: Tar, size: int, written: int | None = None) -> None:
        self._tar, self.left, self.written = tar, size, written

    def read(self, size: int, /) -> bytes:
        """Return at most this many of the remaining bytes."""
        data = self._tar.take(min(size, self.left)) if self.left else b""
        self.left -= len(data)
        return data


class Tar:
    """The members in order. passed: how many links, devices and the like were passed over."""

    def __init__(self, inner: StreamSource, budget: Budget, name: str) -> None:
        self._inner, self._budget, self._name = inner, budget, name
        self.passed = 0

    def take(self, size: int) -> bytes:
        """Return at most this many bytes of the stream."""
        data = self._inner.read(size)
        self._budget.count_bytes(len(data), self._name)
        if size and not data:
            raise self._cut()
        return data

    def members(self) -> Iterator[tuple[str, Member]]:
        """Yield (name, content) of each regular file. Errors: LimitReachedError if the archive is cut off
        or too large.
        """
        long_name, pax = "", dict[str, str]()
        while header := self._block():
            if not header.strip(b"\0"):
                continue
            size = int(pax["size"][:19]) if pax.get("size", "").isdecimal() else _number(header[124:136])
            if size is None or not _is_header(header):
                raise self._cut()
            kind = header[156:157]
            if kind in (b"L", b"x"):
                data = self._read_whole(size)
                if kind == b"L":
                    long_name = data.rstrip(b"\0").decode("utf-8", "replace")
                else:
                    pax = _pax(data)
                continue
            name = pax.get("path") or long_name or _name(header)
            long_name, pax = "", {}
            self._budget.member(self._name)
            body = Member(self, size, _number(header[136:148]))
            if kind in (b"0", b"\0", b"7") and not name.endswith("/"):
                yield name, body
            elif kind != b"5":
                self.passed += 1
            while body.left:
                body.read(_CHUNK)
            self._skip(-size % BLOCK)

    def _block(self) -> bytes:
        """Return the next header; b"" at the end."""
        out = b""
        while len(out) < BLOCK:
            data = self._inner.read(BLOCK - len(out))
            if not data:
                if out:
                    raise self._cut()
                return b""
            out += data
        return out

    def _read_whole(self, size: int) -> bytes:
        """Return an extended header's bytes. A path is not longer than a file system allows; the rest is
        passed over.
        """
        body, out = Member(self, size), b""
        while body.left and len(out) < _LONGEST_NAME:
            out += body.read(min(body.left, _LONGEST_NAME))
        while body.left:
            body.read(_CHUNK)
        self._skip(-size % BLOCK)
        return out

    def _skip(self, count: int) -> None:
        while count:
            count -= len(self.take(count))

    def _cut(self) -> LimitReachedError:
        return LimitReachedError(say("{name}: damaged or cut off; the rest was not read", name=self._name))


def is_tar(head: bytes) -> bool:
    """Tell whether a file is a tar archive, by its first block."""
    return len(head) >= BLOCK and _is_header(head[:BLOCK])


def _is_header(block: bytes) -> bool:
    """Tell whether the header's checksum is correct."""
    told = _number(block[148:156])
    return told is not None and told == sum(block[:148]) + 8 * 32 + sum(block[156:])


def _number(field: bytes) -> int | None:
    """Return octal digits, or GNU's base 256; None for neither and for an impossible value."""
    if field[:1] == b"\x80":
        return (
            int.from_bytes(field[1:], "big") if field[1:-8].strip(b"\0") == b"" and field[-8] < 0x40 else None
        )
    text = field.strip(b" \0")
    return int(text, 8) if text and all(c in b"01234567" for c in text) else 0 if not text else None


def _name(header: bytes) -> str:
    prefix = (
        header[345:500].partition(b"\0")[0]
        if header[257:262] == b"ustar" and header[263:265] == b"00"
        else b""
    )
    name = header[:100].partition(b"\0")[0]
    return (prefix + b"/" + name if prefix else name).decode("utf-8", "replace")


def _pax(data: bytes) -> dict[str, str]:
    """Return records of `LENGTH KEY=VALUE`: path and size."""
    out: dict[str, str] = {}
    while data:
        digits, _, _ = data.partition(b" ")
        length = int(digits) if digits.isdigit() and len(digits) < 10 else 0
        if length <= len(digits):
            break
        key, _, value = data[len(digits) + 1 : length].rstrip(b"\n").partition(b"=")
        if key in (b"path", b"size"):
            out[key.decode()] = value.decode("utf-8", "replace")
        data = data[length:]
    return out
