"""Snapshots on disk."""

from __future__ import annotations

import json
import os
import sys
import zlib
from pathlib import Path

from unstuck import __version__
from unstuck.errors import InputError
from unstuck.facts.codec import FormatError, Saved, load, save

# A Snapshot of a cluster with 150,000 Pods fits; an archive that unpacks without end does not.
LARGEST = 1 << 30


def write_saved(path: str, saved: Saved) -> None:
    """Writes the Snapshot, whole or not at all; the same Snapshot always gives the same bytes.

    Errors: InputError where the file cannot be written.
    """
    data = (json.dumps(save(saved, __version__), ensure_ascii=True, indent=1) + "\n").encode()
    if path.endswith(".gz"):
        import gzip  # noqa: PLC0415

        data = gzip.compress(data, mtime=0)
    part = Path(f"{path}.part")
    try:
        part.write_bytes(data)
        os.replace(part, path)  # noqa: PTH105
    except OSError as e:
        raise InputError(f"cannot write {path}: {e.strerror or e}", "give --save a file in a directory that you may write") from e


def read_saved(path: str) -> Saved:
    """A Snapshot from a file, or from standard input for `-`; compressed or not is seen from its bytes.

    Errors: InputError for what cannot be read or is no Snapshot of a known format.
    """
    return parse_saved(read_bytes(path), path)


def parse_saved(data: bytes, name: str) -> Saved:
    """The same from bytes; name: how the file is called in errors."""
    try:
        return load(json.loads(_unpacked(data, name)))
    except FormatError as e:
        raise InputError(f"{name}: {e}") from e
    except (ValueError, RecursionError) as e:
        raise InputError(f"{name} is no Snapshot: it is not JSON", "a Snapshot comes from --save; for pasted text: unstuck read") from e


def read_bytes(path: str) -> bytes:
    """A file's bytes, or standard input's for `-`."""
    try:
        data = sys.stdin.buffer.read(LARGEST + 1) if path == "-" else _read(path)
    except OSError as e:
        raise InputError(f"cannot read {path}: {e.strerror or e}") from e
    if len(data) > LARGEST:
        raise InputError(f"{path} is larger than {LARGEST >> 20} MiB", "split it, or read the part that is about one object")
    return data


def _read(path: str) -> bytes:
    with Path(path).open("rb") as file:
        return file.read(LARGEST + 1)


def _unpacked(data: bytes, name: str) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    unpack = zlib.decompressobj(wbits=31)
    try:
        out = unpack.decompress(data, LARGEST)
    except zlib.error as e:
        raise InputError(f"{name} is no whole gzip file") from e
    if unpack.unconsumed_tail:
        raise InputError(f"{name} unpacks to more than {LARGEST >> 20} MiB")
    return out
