"""Snapshots on disk."""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path
from typing import BinaryIO

from unstuck import __version__
from unstuck.collect.output_file import OutFile
from unstuck.errors import InputError
from unstuck.facts.codec import FormatError, Saved, load, save
from unstuck.facts.text import Messages

say = Messages(__name__)


# Enough for a cluster with 150,000 Pods; stops a decompression bomb.
LARGEST = 1 << 30
_PART = 1 << 20


def write_saved(path: str, saved: Saved) -> None:
    """Write the Snapshot, whole or not at all, readable only by its owner; the same Snapshot always gives the
    same bytes.

    Errors: InputError if the file cannot be written, or if its path is no regular file.
    """
    data = to_text(saved).encode()
    if path.endswith(".gz"):
        import gzip

        data = gzip.compress(data, mtime=0)
    try:
        with OutFile(path, replace=True) as file:
            file.write(data)
    except OSError as e:
        raise make_unwritable_error(path, e) from e


def to_text(saved: Saved) -> str:
    """Return the text of the Snapshot's file."""
    return json.dumps(save(saved, __version__), ensure_ascii=True, indent=1) + "\n"


def make_unwritable_error(path: str, error: OSError) -> InputError:
    """Return the error for an unwritable file."""
    why = error.strerror or error
    return InputError(
        say("cannot write {path}: {why}", path=path, why=why),
        say("name a file in a directory that you may write"),
    )


def read_saved(path: str) -> Saved:
    """Read a Snapshot from a file, or from standard input for `-`; its bytes show whether it is compressed.

    Errors: InputError for an unreadable file, or one that is no Snapshot of a known format.
    """
    return parse_saved(read_bytes(path), path)


def parse_saved(data: bytes, name: str) -> Saved:
    """Read a Snapshot from bytes. name: the file's name in errors."""
    try:
        return load(json.loads(_unpack(data, name)))
    except FormatError as e:
        raise InputError(say("{name}: {said}", name=name, said=e.said)) from e
    except (ValueError, RecursionError) as e:
        raise InputError(
            say("{name} is no Snapshot: it is not JSON", name=name),
            say("a Snapshot comes from --save; for pasted text: unstuck read"),
        ) from e


def read_bytes(path: str) -> bytes:
    """Read a file's bytes, or standard input for `-`."""
    try:
        data = _read_held(sys.stdin.buffer) if path == "-" else _read(path)
    except OSError as e:
        why = e.strerror or e
        raise InputError(say("cannot read {path}: {why}", path=path, why=why)) from e
    if len(data) > LARGEST:
        raise InputError(
            say("{path} is larger than {most} MiB", path=path, most=LARGEST >> 20),
            say("split it, or read the part that is about one object"),
        )
    return data


def _read(path: str) -> bytes:
    with Path(path).open("rb") as file:
        return _read_held(file)


def _read_held(file: BinaryIO) -> bytes:
    """Read at most the file's size: a read with the whole limit would allocate all of it at once."""
    parts, left = list[bytes](), LARGEST + 1
    while left > 0 and (part := file.read(min(left, _PART))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _unpack(data: bytes, name: str) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    unpack = zlib.decompressobj(wbits=31)
    try:
        out = unpack.decompress(data, LARGEST)
    except zlib.error as e:
        raise InputError(say("{name} is no whole gzip file", name=name)) from e
    if unpack.unconsumed_tail:
        raise InputError(say("{name} unpacks to more than {most} MiB", name=name, most=LARGEST >> 20))
    return out
