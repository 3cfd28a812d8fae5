"""Compressed streams, recognised by their first bytes and read piece by piece, within the limits.

The libraries' file objects are not used: gzip's and lzma's hold as much as a hostile stream demands (an xz
dictionary of 4 GiB).
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import BinaryIO, Protocol, cast

from unstuck.collect.bundle.limits import MIB, Budget, LimitReachedError, check_ratio
from unstuck.facts.text import Messages

say = Messages(__name__)

_CHUNK = 256 * 1024
_MEMORY = 128 * MIB
MAGICS = ((b"\x1f\x8b", "gz"), (b"\xfd7zXZ\x00", "xz"), (b"BZh", "bz2"), (b"\x28\xb5\x2f\xfd", "zst"))


class StreamSource(Protocol):
    """Anything with `read(n)`: at most n bytes, none at the end."""

    def read(self, size: int, /) -> bytes:
        """Return at most this many bytes."""


def compression_of(head: bytes) -> str | None:
    """Return `gz`, `xz`, `bz2`, `zst`; None for anything that is not compressed."""
    return next((kind for magic, kind in MAGICS if head.startswith(magic)), None)


class PeekedStream:
    """A stream that counts the bytes read, and whose first bytes can be peeked at."""

    def __init__(self, inner: StreamSource, head: bytes = b"") -> None:
        self._inner, self._head = inner, head
        self.count = 0

    def read(self, size: int, /) -> bytes:
        """Return at most this many bytes."""
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
        else:
            data = self._inner.read(size)
        self.count += len(data)
        return data


class DecompressedStream:
    """A compressed stream's content. Errors of `read`: LimitReachedError, also for a stream that is
    damaged.
    """

    def __init__(self, kind: str, inner: StreamSource, budget: Budget, name: str) -> None:
        self.packed, self._budget, self._name = PeekedStream(inner), budget, name
        self._new = _DECODERS[kind]
        self._decoder = self._new()
        self._held = b""
        self._out = 0

    def read(self, size: int, /) -> bytes:
        """Return at most this many bytes; none at the end."""
        try:
            while (data := self._decoder(self, size)) is None:
                pass
        except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError, MemoryError) as e:
            raise self._damage_error(e) from e
        self._out += len(data)
        check_ratio(lambda: self.packed.count, self._out, self._budget, self._name)
        return data

    def _damage_error(self, error: BaseException) -> LimitReachedError:
        why = str(error)[:100]
        return LimitReachedError(
            say("{name}: damaged or cut off ({why}); the rest was not read", name=self._name, why=why)
        )

    def more(self) -> bytes:
        """Return the next packed bytes."""
        data, self._held = (self._held, b"") if self._held else (self.packed.read(_CHUNK), b"")
        return data

    def again(self, rest: bytes) -> None:
        """Begin another stream right behind."""
        self._held = rest
        self._decoder = self._new()


# At most this many bytes, none at the end; None if one stream ended and another may follow.
_Decoder = Callable[[DecompressedStream, int], bytes | None]


class _ZlibDecoder:
    """zlib's decompressor with the face that lzma's and bz2's have."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    @property
    def needs_input(self) -> bool:
        """Whether its input is used up."""
        return not self._inner.unconsumed_tail

    @property
    def eof(self) -> bool:
        """Whether its stream has ended."""
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        """The input after that end."""
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Return at most this many bytes of the input so far. Errors: zlib.error."""
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


def _decoder_factory(
    new: Callable[[], _ZlibDecoder | lzma.LZMADecompressor | bz2.BZ2Decompressor],
) -> Callable[[], _Decoder]:
    def decoder() -> _Decoder:
        inner = new()
        began = False

        def decode(stream: DecompressedStream, size: int) -> bytes | None:
            nonlocal began
            while True:
                data = stream.more() if inner.needs_input else b""
                if inner.needs_input and not data:
                    if began:
                        raise EOFError("it ends in the middle")
                    return b""
                if not began and not data.strip(b"\0"):
                    continue  # padding behind the last one
                began = True
                out = inner.decompress(data, size)
                if inner.eof:
                    stream.again(inner.unused_data)
                    return out or None
                if out:
                    return out

        return decode

    return decoder


def _zst() -> _Decoder:
    try:
        import zstandard
    except ImportError as e:
        raise LimitReachedError(
            say("a .zst archive needs the package zstandard; or unpack it and give the directory")
        ) from e
    reader: BinaryIO | None = None

    def decode(stream: DecompressedStream, size: int) -> bytes:
        nonlocal reader
        if reader is None:
            inner = zstandard.ZstdDecompressor(max_window_size=_MEMORY)
            reader = inner.stream_reader(cast(BinaryIO, stream.packed), read_across_frames=True)
        try:
            return reader.read(size)
        except zstandard.ZstdError as e:
            raise ValueError(str(e)) from e

    return decode


_DECODERS: dict[str, Callable[[], _Decoder]] = {
    "gz": _decoder_factory(_ZlibDecoder),
    "xz": _decoder_factory(lambda: lzma.LZMADecompressor(memlimit=_MEMORY)),
    "bz2": _decoder_factory(bz2.BZ2Decompressor),
    "zst": _zst,
}
