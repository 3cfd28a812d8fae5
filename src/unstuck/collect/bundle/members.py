"""A path's members, one after the other: of a directory, of a tar or zip in any compression, of archives
within; or the file itself.
"""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple

from unstuck.collect.bundle.limits import MIB, Budget, LimitReachedError
from unstuck.collect.bundle.saved import starts_like_saved
from unstuck.collect.bundle.streams import DecompressedStream, PeekedStream, StreamSource, compression_of
from unstuck.collect.bundle.tar import BLOCK, Tar, is_tar
from unstuck.facts.text import Messages

say = Messages(__name__)

_DIRECTORY = 64 * MIB  # of a zip: zipfile needs some four times as much memory for it
_HELD = 2 * MIB
_ARCHIVES = (".tar", ".tgz", ".zip", ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".txz", ".tbz2")


class BundleMember(NamedTuple):
    """name: within the bundle. written: when it was last written, in seconds since 1970, if known."""

    name: str
    stream: StreamSource
    written: float | None


def members(path: str, budget: Budget) -> Iterator[BundleMember]:
    """Yield every readable member. A member is read before the next one is requested.

    Errors: OSError if the path itself cannot be read; the budget reports all other failures.
    """
    if Path(path).is_dir():
        yield from _apply_limits(_list_members_of_directory(path, budget), budget)
    else:
        with Path(path).open("rb") as file:
            yield from members_of_file(
                file, path.rpartition("/")[2] or path, budget, os.fstat(file.fileno()).st_mtime
            )


def members_of_file(
    file: BinaryIO, name: str, budget: Budget, written: float | None = None
) -> Iterator[BundleMember]:
    """Yield the members of an open file that can be rewound."""
    budget.begin(file)
    yield from _apply_limits(_list_members_of_opened(file, name, "", budget, 0, written), budget)


def size_of(path: str) -> int:
    """Return the size in bytes of a file, or of all regular files below a directory; 0 if unknown."""
    try:
        if not Path(path).is_dir():
            return Path(path).stat().st_size
    except OSError:
        return 0
    total = 0
    for folder, _, files in os.walk(path, followlinks=False):
        for file in files:
            try:
                told = os.lstat(f"{folder}/{file}")
            except OSError:
                continue
            total += told.st_size if stat.S_ISREG(told.st_mode) else 0
    return total


def is_bundle(path: str) -> bool:
    """Tell whether a path is a directory, begins as an archive, a compressed file or a saved Snapshot does,
    or is too large to be held.

    Errors: OSError.
    """
    if Path(path).is_dir() or Path(path).stat().st_size > _HELD:
        return True
    with Path(path).open("rb") as file:
        return begins_bundle(file.read(BLOCK))


def begins_bundle(head: bytes) -> bool:
    """Tell whether a file is a bundle, by its first block."""
    return (
        compression_of(head) is not None
        or is_tar(head)
        or head.startswith((b"PK\x03\x04", b"PK\x05\x06"))
        or starts_like_saved(head)
    )


def _apply_limits(inner: Iterator[BundleMember], budget: Budget) -> Iterator[BundleMember]:
    try:
        yield from inner
    except LimitReachedError as e:
        budget.say(e.said.en, e.said)


def _list_members_of_directory(top: str, budget: Budget) -> Iterator[BundleMember]:
    """Yield regular files below a directory; links are not followed, and nothing else is opened."""
    for folder, folders, files in os.walk(top, followlinks=False):
        folders.sort()
        for file in sorted(files):
            full = f"{folder}/{file}"
            name = os.path.relpath(full, top)
            budget.member(top)
            try:
                # Opened so that a pipe does not wait, then looked at: a name may be exchanged in between.
                number = os.open(full, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
            except OSError:
                continue
            with os.fdopen(number, "rb") as opened:
                told = os.fstat(number)
                if stat.S_ISREG(told.st_mode):
                    budget.begin(opened)
                    yield from _apply_limits(
                        _list_members_of_opened(opened, name, name, budget, 1, told.st_mtime), budget
                    )


def _list_members_of_opened(
    file: BinaryIO, shown: str, prefix: str, budget: Budget, depth: int, written: float | None
) -> Iterator[BundleMember]:
    """Yield the members of a seekable file. prefix: its own name as a member, "" for the bundle itself."""
    if file.read(4) in (b"PK\x03\x04", b"PK\x05\x06"):
        yield from _list_members_of_zip(file, shown, prefix, budget, depth)
        return
    file.seek(0)
    yield from _list_members_of_stream(file, shown, prefix, budget, depth, written)


def _list_members_of_stream(
    inner: StreamSource, shown: str, prefix: str, budget: Budget, depth: int, written: float | None
) -> Iterator[BundleMember]:
    head = _head(inner)
    stream: StreamSource = PeekedStream(inner, head)
    layers = 0
    while kind := compression_of(head):
        if layers >= budget.limits.depth:
            raise _make_too_deep_error(shown, budget)
        stream, layers = DecompressedStream(kind, stream, budget, shown), layers + 1
        head = _head(stream)
        stream = PeekedStream(stream, head)
    if is_tar(head):
        if depth > budget.limits.depth:
            raise _make_too_deep_error(shown, budget)
        tar = Tar(stream, budget, shown)
        for name, body in tar.members():
            member = BundleMember(f"{prefix}!{name}" if prefix else name, body, body.written)
            yield from _apply_limits(_open_within(member, name, body.left, budget, depth), budget)
        return
    yield BundleMember(
        _bare_name(prefix) or shown,
        MeteredStream(stream, budget, shown) if layers or not depth else stream,
        written,
    )


def _open_within(
    found: BundleMember, name: str, size: int, budget: Budget, depth: int
) -> Iterator[BundleMember]:
    """Yield a member that may itself be an archive or compressed."""
    member, body, written = found
    if not name.lower().endswith((*_ARCHIVES, ".gz", ".xz", ".bz2", ".zst")):
        yield found
    elif name.lower().endswith(".zip"):
        if depth >= budget.limits.depth:
            raise _make_too_deep_error(member, budget)
        if size > budget.limits.nested:
            most = budget.limits.nested // MIB
            raise LimitReachedError(
                say(
                    "{member}: an archive of more than {most} MiB within another was not read",
                    member=member,
                    most=most,
                )
            )
        yield from _list_members_of_opened(
            BytesIO(_read_all(body, size)), member, member, budget, depth + 1, written
        )
    else:
        yield from _list_members_of_stream(body, member, member, budget, depth + 1, written)


def _list_members_of_zip(
    file: BinaryIO, shown: str, prefix: str, budget: Budget, depth: int
) -> Iterator[BundleMember]:
    if depth > budget.limits.depth:
        raise _make_too_deep_error(shown, budget)
    _check_directory(file, shown)
    try:
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                budget.member(shown)
                mode = info.external_attr >> 16
                # `is_dir` looks at a name's last letter.
                if (
                    not info.filename
                    or info.is_dir()
                    or (stat.S_IFMT(mode) not in (0, stat.S_IFREG))
                    or info.flag_bits & 1
                ):
                    continue
                checked = ZipMember(archive, info, budget, shown)
                found = BundleMember(
                    f"{prefix}!{info.filename}" if prefix else info.filename, checked, _zip_time(info.extra)
                )
                yield from _apply_limits(
                    _open_within(found, info.filename, info.file_size, budget, depth), budget
                )
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, RuntimeError) as e:
        why = str(e)[:100]
        raise LimitReachedError(
            say("{shown}: damaged ({why}); the rest was not read", shown=shown, why=why)
        ) from e


def _zip_time(extra: bytes) -> float | None:
    """Return seconds since 1970 as the extended timestamp has them; a member's other time has no zone.
    Source: Info-ZIP, extrafld.txt (0x5455).
    """
    while len(extra) >= 4:
        size = int.from_bytes(extra[2:4], "little")
        if extra[:2] == b"UT" and size >= 5 and extra[4:5] and extra[4] & 1:
            return float(int.from_bytes(extra[5:9], "little", signed=True))
        extra = extra[4 + size :]
    return None


def _check_directory(file: BinaryIO, shown: str) -> None:
    """Check the directory's size by the end record: zipfile holds all of it."""
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - 65_557))
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    size = int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
    far = tail.rfind(b"PK\x06\x06")
    if far >= 0:
        size = max(size if size != 0xFFFFFFFF else 0, int.from_bytes(tail[far + 40 : far + 48], "little"))
    file.seek(0)
    if size > _DIRECTORY:
        raise LimitReachedError(
            say("{shown}: lists too many members to be a bundle; it was not read", shown=shown)
        )


class ZipMember:
    """A zip's member, metered."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget, name: str) -> None:
        self._archive, self._info, self._budget, self._name = archive, info, budget, name
        self._file: IO[bytes] | None = None
        self._out = 0

    def read(self, size: int, /) -> bytes:
        """Return at most this many bytes. Errors: LimitReachedError, also for a damaged member."""
        try:
            if self._file is None:
                self._file = self._archive.open(self._info)
            data = self._file.read(size)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            NotImplementedError,
            RuntimeError,
            ValueError,
        ) as e:
            why = str(e)[:100]
            raise LimitReachedError(
                say("{name}: a damaged member ({why}) was not read", name=self._name, why=why)
            ) from e
        self._budget.count_bytes(len(data), self._name)
        self._out += len(data)
        if self._out > self._budget.limits.ratio_from and self._out > self._budget.limits.ratio * max(
            1, self._info.compress_size
        ):
            most = self._budget.limits.ratio
            raise LimitReachedError(
                say(
                    "{name}: a member unpacks to more than {most} times its size; it was not read further",
                    name=self._name,
                    most=most,
                )
            )
        return data


class MeteredStream:
    """A stream whose bytes count."""

    def __init__(self, inner: StreamSource, budget: Budget, name: str) -> None:
        self._inner, self._budget, self._name = inner, budget, name

    def read(self, size: int, /) -> bytes:
        """Return at most this many bytes. Errors: LimitReachedError."""
        data = self._inner.read(size)
        self._budget.count_bytes(len(data), self._name)
        return data


def _head(stream: StreamSource) -> bytes:
    out = b""
    while len(out) < BLOCK and (data := stream.read(BLOCK - len(out))):
        out += data
    return out


def _read_all(stream: StreamSource, most: int) -> bytes:
    parts, left = [], most
    while left > 0 and (data := stream.read(min(left, MIB))):
        parts.append(data)
        left -= len(data)
    return b"".join(parts)


def _bare_name(name: str) -> str:
    """Return `kubelet.log.1.gz` is read as `kubelet.log.1`."""
    for suffix in (".gz", ".xz", ".bz2", ".zst"):
        name = name.removesuffix(suffix)
    return name


def _make_too_deep_error(name: str, budget: Budget) -> LimitReachedError:
    most = budget.limits.depth
    return LimitReachedError(
        say("{name}: archives in archives, deeper than {most}; it was not read", name=name, most=most)
    )
