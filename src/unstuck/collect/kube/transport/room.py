"""Bounds the memory for a server's answers, for any answer. See docs/why/large-answers.md."""

from __future__ import annotations

import threading
import zlib
from http.client import HTTPException

MIB = 1 << 20
# One object, or a page of a list; etcd takes none above 1.5 MiB.
LARGEST = 32 * MIB
# Answers without pages: a Table, or metadata alone, of all objects of a kind from the server's cache.
LARGEST_LIST = 256 * MIB
# The limit for one decoded document; the limit for all answers held at once.
DECODED = 256 * MIB
TOGETHER = 1024 * MIB
_PACKED_PART = 64 << 10
_PROTOBUF = b"k8s\x00"


class TooLarge(HTTPException):
    """An answer is larger than the free room. most: the limit. when: the thing that the limit counts, if not
    the answer itself.
    """

    def __init__(self, most: str, when: str = "") -> None:
        super().__init__(f"more than {most}{when}")
        self.most, self.when = most, when


class Room:
    """Bytes that the answers may take up that are held at once, for all threads together."""

    def __init__(self, size: int = TOGETHER) -> None:
        self._size, self._taken = size, 0
        # Reentrant: a thread may give back one Share while it takes another.
        self._lock = threading.RLock()

    def take(self, size: int) -> None:
        """Take this many bytes. Errors: TooLarge if they are not free."""
        with self._lock:
            if self._taken + size > self._size:
                raise TooLarge(f"{self._size >> 20} MiB", " with what else is held")
            self._taken += size

    def give(self, size: int) -> None:
        """Give this many bytes back."""
        with self._lock:
            self._taken -= size


class Share:
    """One answer's share of the room: nothing at first; given back with the last reference to the answer.

    whole_list: it is a list of all objects, decoded to declared fields only; else a document of any shape.
    """

    def __init__(self, room: Room, *, whole_list: bool = False) -> None:
        self._room, self._whole_list, self._size = room, whole_list, 0
        self.largest = LARGEST_LIST if whole_list else LARGEST

    def check(self, size: int) -> None:
        """Check a body's size. Errors: TooLarge if it is over the limit, regardless of the free room."""
        if size > self.largest:
            raise TooLarge(f"{self.largest >> 20} MiB")

    def take(self, size: int) -> None:
        """Take this many more bytes. Errors: TooLarge."""
        self._room.take(size)
        self._size += size

    def take_decoded(self, body: bytes) -> None:
        """Take room for a body's decoded form. Errors: TooLarge."""
        if self._whole_list:
            self.take(_estimate_declared(body))
            return
        size = _estimate_decoded(body)
        if size > DECODED:
            raise TooLarge(f"{DECODED >> 20} MiB", " once it is decoded")
        self.take(size)

    def __del__(self) -> None:
        self._room.give(self._size)


def unpack(packed: bytes, share: Share) -> bytes:
    """Unpack gzip data. Errors: TooLarge as soon as it exceeds its share; zlib.error if it is no gzip."""
    unpacker, out, size = zlib.decompressobj(31), list[bytes](), 0
    # In small parts: the unpacked size of one is bounded (1 to 1032), and so is the memory used before it is
    # counted.
    for at in range(0, len(packed), _PACKED_PART):
        part = unpacker.decompress(packed[at : at + _PACKED_PART], share.largest - size + 1)
        size += len(part)
        share.check(size)
        share.take(len(part))
        out.append(part)
    return b"".join(out)


def _estimate_decoded(body: bytes) -> int:
    """Return the bytes that `json.loads` needs for a document: an overestimate for objects of Kubernetes, at
    least half for the worst documents.
    """
    # One non-ASCII character makes the whole text, and strings, up to four times as large.
    text = len(body) * (3 if body.isascii() else 11)
    return text + 120 * body.count(b"{") + 60 * body.count(b"[") + 50 * body.count(b",")


def _estimate_declared(body: bytes) -> int:
    """Return the same for a parser that makes only declared fields of a list's items."""
    if len(body) < MIB:
        # No answer has more commas than characters: where even that is little, none is counted.
        return 51 * len(body)
    return 2 * len(body) if body.startswith(_PROTOBUF) else len(body) + 50 * body.count(b",")
