"""HTTP/1.1 as a client of one server needs it: the head of a request, and an answer with its body.

Source: RFC 9112, which describes the three ways in which a body ends. See docs/why/http-client.md.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO

from unstuck.collect.kube.transport.room import MIB, Share
from unstuck.facts.record import Record, record

# The contents of one TLS record, which is the most that one read returns.
_PART = 16 << 10
# Go's limit, as the API server's own clients have it.
_LONGEST_HEAD = MIB
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(r"HTTP/1\.(\d) +(\d{3})(?: (.*))?")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;.*)?")
_WITHOUT_BODY = (204, 304)


class MalformedError(Exception):
    """The answer is no HTTP, or ends too early; or the request cannot be written as HTTP."""


@record()
class Head(Record):
    """The head of an answer. headers: by their names in small letters, the first of each name.

    closes: whether the connection ends with this answer.
    """

    status: int
    reason: str
    headers: Mapping[str, str]
    closes: bool


def write_head(method: str, target: str, headers: Iterable[tuple[str, str]]) -> bytes:
    """Return the head of a request. Errors: ValueError for a header that HTTP cannot carry; MalformedError
    for such a target.
    """
    if not target.isascii() or not target.isprintable() or " " in target:
        raise MalformedError("the path cannot be sent")
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers), "", ""]
    head = "\n".join(lines)
    if head.count("\n") != len(lines) - 1 or "\r" in head or "\0" in head:
        raise ValueError("a header of several lines")
    return head.replace("\n", "\r\n").encode("latin-1")


class AnswerReader:
    """Reads one connection's answers. After an error nothing more can be read."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        # Received and not read yet.
        self._rest = b""

    @property
    def ahead(self) -> bool:
        """Whether more has arrived than has been read."""
        return bool(self._rest)

    def read_head(self) -> Head:
        """Read the next answer's head, after interim ones (1xx). Errors: OSError, MalformedError."""
        while True:
            status, reason, headers, old = _parse_head(self._read_lines())
            if status >= 200:
                break
        wish = headers.get("connection", "").lower()
        known = status in _WITHOUT_BODY or "transfer-encoding" in headers or "content-length" in headers
        return Head(
            status, reason, headers, not known or ("keep-alive" not in wish if old else "close" in wish)
        )

    def read_body(self, head: Head, share: Share) -> bytes:
        """Read the body of this answer. share: grows with it. Errors: OSError, MalformedError; TooLarge as
        soon as it exceeds the limit.
        """
        # Its value is handed over without a copy; joined parts would be there twice.
        body = BytesIO()
        for part in self._list_parts(head, body, share):
            size = len(part)
            share.check(body.tell() + size)
            share.take(size)
            body.write(part)
        return body.getvalue()

    def _list_parts(self, head: Head, body: BytesIO, share: Share) -> Iterator[bytes]:
        if head.status in _WITHOUT_BODY:
            return
        coding = head.headers.get("transfer-encoding", "").lower()
        if coding == "chunked":
            while size := self._read_size():
                share.check(body.tell() + size)
                yield from self._read_exactly(size)
                self._read_line()
            while self._read_line():
                pass
        elif coding:
            raise MalformedError("a body of an unknown coding")
        elif (length := head.headers.get("content-length")) is not None:
            if not (length.isascii() and length.isdigit()):
                raise MalformedError("a body without a length")
            share.check(int(length[:19]))
            yield from self._read_exactly(int(length))
        else:
            yield self._rest
            self._rest = b""
            while part := self._sock.recv(_PART):
                yield part

    def _read_exactly(self, size: int) -> Iterator[bytes]:
        while size:
            part = self._rest or self._receive()
            self._rest, part = part[size:], part[:size]
            size -= len(part)
            yield part

    def _read_size(self) -> int:
        line = self._read_line()
        found = _SIZE.fullmatch(line)
        if found is None:
            raise MalformedError("a chunk without a size")
        return int(found[1], 16)

    def _read_line(self) -> bytes:
        while (end := self._rest.find(b"\n")) < 0:
            self._receive_more()
        line, self._rest = self._rest[:end], self._rest[end + 1 :]
        return line.removesuffix(b"\r")

    def _read_lines(self) -> list[str]:
        """Read to the next empty line, which is left out."""
        if not self._rest:
            self._rest = self._sock.recv(_PART)
            if not self._rest:
                # A kept connection that was closed meanwhile.
                raise ConnectionResetError("Remote end closed connection without response")
        begin = 0
        while (end := _END_OF_HEAD.search(self._rest, begin)) is None:
            begin = max(0, len(self._rest) - 3)
            self._receive_more()
        head, self._rest = self._rest[: end.start()], self._rest[end.end() :]
        return [line.removesuffix("\r") for line in head.decode("latin-1").split("\n")]

    def _receive_more(self) -> None:
        if len(self._rest) > _LONGEST_HEAD:
            raise MalformedError("a head without an end")
        self._rest += self._receive()

    def _receive(self) -> bytes:
        part = self._sock.recv(_PART)
        if not part:
            raise MalformedError("the answer ends too early")
        return part


def _parse_head(lines: list[str]) -> tuple[int, str, dict[str, str], bool]:
    """Return the status, its words, the headers, and whether it is HTTP/1.0, which closes connections."""
    found = _STATUS.fullmatch(lines[0])
    if found is None:
        raise MalformedError("the answer is no HTTP")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers.setdefault(name.lower(), value.strip())
    return int(found[2]), (found[3] or "").strip(), headers, found[1] == "0"
