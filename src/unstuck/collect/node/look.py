"""Looks at files in a separate process, so that a look that hangs hangs alone; its command line names the
paths.

Run as a file, with nothing but the standard library: `python -I -S look.py flags SECONDS ENTRIES DIR…`,
`space SECONDS DIR…`, `use SECONDS ENTRIES DIR…`, `own SECONDS PATH…`, `open SECONDS PATH…`, `touch DIR` or
`read BYTES`. Reads from stdin a JSON list of paths that must not be touched (`read`: the paths to read).
Writes one JSON line for each path, before it begins the next one.

`flags`: attributes i and a at and below DIR, on DIR's own device, by statx with AT_STATX_DONT_SYNC, which
opens nothing and asks no server. Source: statx(2), ioctl_iflags(2) (the only way before kernel 4.11, for
files and directories).
"""

# bytes, as the file system has them
from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import stat
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

NAME = "unstuck-look"
_AT_FDCWD = -100
# AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC
_PASSIVE = 0x100 | 0x800 | 0x4000
_STATX_TYPE = 0x1
_IMMUTABLE, _APPEND = 0x10, 0x20
_GETFLAGS = 0x80086601
_SYSCALL = {
    "x86_64": 332,
    "aarch64": 291,
    "riscv64": 291,
    "loongarch64": 291,
    "ppc64le": 383,
    "s390x": 379,
    "i686": 383,
    "armv7l": 397,
}
_MAX_HITS = 200
_LARGE_FILE = 16 << 20
_MAX_USED = 10

# device, is a directory, immutable, append-only; the last two None if the file system does not report them
Attributes = tuple[tuple[int, int], bool, bool | None, bool | None]


def statx(path: bytes) -> Attributes:
    """Return attributes by statx. Errors: OSError, ENOSYS if the kernel or the machine does not know it."""
    number = _SYSCALL.get(os.uname().machine)
    if number is None:
        raise OSError(errno.ENOSYS, "statx")
    buffer = ctypes.create_string_buffer(256)
    if _libc().syscall(number, _AT_FDCWD, path, _PASSIVE, _STATX_TYPE, buffer) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    # struct statx: attributes at 8, mode at 28, attributes_mask at 56, device at 136
    set_, mask = struct.unpack_from("=Q", buffer, 8)[0], struct.unpack_from("=Q", buffer, 56)[0]
    mode = struct.unpack_from("=H", buffer, 28)[0]
    device: tuple[int, int] = struct.unpack_from("=II", buffer, 136)
    immutable, append = (bool(set_ & bit) if mask & bit else None for bit in (_IMMUTABLE, _APPEND))
    return device, stat.S_ISDIR(mode), immutable, append


def getflags(path: bytes) -> Attributes:
    """Return attributes by FS_IOC_GETFLAGS, for kernels without statx: opens files and directories,
    nothing else.
    """
    seen = os.lstat(path)
    device = (os.major(seen.st_dev), os.minor(seen.st_dev))
    if not (stat.S_ISDIR(seen.st_mode) or stat.S_ISREG(seen.st_mode)):
        return device, False, False, False
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        flags = struct.unpack("=I", fcntl.ioctl(fd, _GETFLAGS, b"\0" * 8)[:4])[0]
    except OSError as e:
        if e.errno not in (errno.ENOTTY, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
            raise
        return device, stat.S_ISDIR(seen.st_mode), None, None
    finally:
        os.close(fd)
    # FS_IMMUTABLE_FL and FS_APPEND_FL have the same bits as the attributes of statx.
    return device, stat.S_ISDIR(seen.st_mode), bool(flags & _IMMUTABLE), bool(flags & _APPEND)


_LIBC: list[ctypes.CDLL] = []


def _libc() -> ctypes.CDLL:
    if not _LIBC:
        _LIBC.append(ctypes.CDLL(None, use_errno=True))
    return _LIBC[0]


def choose_reader() -> Callable[[bytes], Attributes]:
    """Return the way to read attributes that this kernel offers."""
    try:
        statx(b"/")
    except OSError as e:
        return getflags if e.errno == errno.ENOSYS else statx
    return statx


class Walk:
    """One walk over several directories, with one limit for all of them.

    avoid: paths not to be touched; the caller knows that they are left out.
    end: when to stop, on the monotonic clock. entries: how many to look at in all.
    """

    def __init__(
        self, attributes: Callable[[bytes], Attributes], avoid: frozenset[bytes], end: float, entries: int
    ) -> None:
        self.attributes = attributes
        self.avoid = avoid
        self.end = end
        self.left = entries
        self.files: list[tuple[str, str]] = []
        self.skipped: list[str] = []
        self.unsupported = False

    def over(self, top: bytes) -> dict[str, object]:
        """Return the findings at and below one directory: `files` as (path, flags), `skipped` directories,
        `unsupported`, `error`.
        """
        self.files, self.skipped, self.unsupported = [], [], False
        error = 0
        try:
            device = self._note(top, self.attributes(top))[0]
            self._walk(top, device)
        except OSError as e:
            error = e.errno or errno.EIO
        return {
            "dir": _printable(top),
            "error": error,
            "files": self.files,
            "skipped": self.skipped,
            "unsupported": self.unsupported,
        }

    def _walk(self, top: bytes, device: tuple[int, int]) -> None:
        todo = [top]
        while todo:
            if self.left <= 0 or time.monotonic() > self.end or len(self.files) >= _MAX_HITS:
                self.skipped += [_printable(p) for p in todo]
                return
            todo += [child for child in self._children(todo.pop()) if self._is_directory_here(child, device)]

    def _is_directory_here(self, path: bytes, device: tuple[int, int]) -> bool:
        """Note one entry, and tell whether to enter it."""
        if path in self.avoid:
            return False
        self.left -= 1
        try:
            found = self.attributes(path)
        except OSError as e:
            if e.errno != errno.ENOENT:
                self.skipped.append(_printable(path))
            return False
        if found[0] != device:
            self.skipped.append(_printable(path))
            return False
        return self._note(path, found)[1]

    def _note(self, path: bytes, found: Attributes) -> Attributes:
        _, _, immutable, append = found
        self.unsupported = self.unsupported or immutable is None
        if immutable or append:
            self.files.append((_printable(path), _format_flags(bool(immutable), bool(append))))
        return found

    def _children(self, path: bytes) -> Iterator[bytes]:
        try:
            with os.scandir(path) as entries:
                names = [e.name for _, e in zip(range(max(0, self.left) + 1), entries, strict=False)]
        except OSError as e:
            if e.errno != errno.ENOENT:
                self.skipped.append(_printable(path))
            return
        if len(names) > self.left:
            self.skipped.append(_printable(path))
            del names[max(0, self.left) :]
        yield from (path + b"/" + n for n in sorted(names))


def measure_space(path: bytes) -> dict[str, object]:
    """Return size and use of the file system at a path: bytes and inodes, total and free to an ordinary
    user.
    """
    try:
        got = os.statvfs(path)
    except OSError as e:
        return {"dir": _printable(path), "error": e.errno}
    unit = got.f_frsize
    return {
        "dir": _printable(path),
        "error": 0,
        "bytes": [got.f_blocks * unit, got.f_bavail * unit],
        "inodes": [got.f_files, got.f_favail],
        "ro": bool(got.f_flag & os.ST_RDONLY),
    }


def find_owner(path: bytes, examine: Callable[[bytes], os.stat_result] = os.lstat) -> dict[str, object]:
    """Return a path's owner, mode, size and room, and whether a directory is empty. examine: lstat, or
    stat.
    """
    try:
        got = examine(path)
    except OSError as e:
        return {"dir": _printable(path), "error": e.errno or errno.EIO}
    out = {
        "dir": _printable(path),
        "error": 0,
        "uid": got.st_uid,
        "gid": got.st_gid,
        "mode": got.st_mode,
        "size": got.st_size,
    }
    if stat.S_ISDIR(got.st_mode):
        with suppress(OSError), os.scandir(path) as entries:
            out["empty"] = next(entries, None) is None
    with suppress(OSError):
        _, _, immutable, append = statx(path)
        out["flags"] = ("i" if immutable else "") + ("a" if append else "")
    return {**out, "taken": got.st_blocks * 512, "links": got.st_nlink, "inode": got.st_ino}


class OpenUse:
    """The room taken by directories, each with everything below it on its own device, counted breadth first
    so that a cut is fair to all.

    avoid, end, entries: as of `Walk`. Files with several names are counted once.
    """

    def __init__(self, avoid: frozenset[bytes], end: float, entries: int) -> None:
        self.avoid = avoid
        self.end = end
        self.left = entries
        self.seen: set[tuple[int, int]] = set()

    def over(self, top: bytes) -> dict[str, object]:
        """Return `used`: rows of (path, bytes, inodes, partly), largest first; `error`."""
        try:
            device = os.lstat(top).st_dev
        except OSError as e:
            return {"dir": _printable(top), "error": e.errno or errno.EIO}
        # By path: bytes, inodes, partly, parent; large files have entries of their own.
        rows: dict[bytes, list[int]] = {top: [0, 0, 0]}
        parents: dict[bytes, bytes] = {}
        todo = [top]
        for path in todo:
            if self.left <= 0 or time.monotonic() > self.end:
                rows[path][2] = 1
                continue
            self._count(path, device, rows, parents, todo)
        for path in reversed(list(rows)):
            if path in parents:
                own, above = rows[path], rows[parents[path]]
                above[0], above[1], above[2] = above[0] + own[0], above[1] + own[1], above[2] | own[2]
        return {
            "dir": _printable(top),
            "error": 0,
            "used": [(_printable(p), b, n, bool(c)) for p, (b, n, c) in _list_largest(top, rows, parents)],
        }

    def _count(
        self,
        path: bytes,
        device: int,
        rows: dict[bytes, list[int]],
        parents: dict[bytes, bytes],
        todo: list[bytes],
    ) -> None:
        row = rows[path]
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    self.left -= 1
                    if self.left <= 0:
                        row[2] = 1
                        return
                    if entry.path in self.avoid:
                        continue
                    self._add(entry, row, device, rows, parents, todo, path)
        except FileNotFoundError:
            return
        except OSError:
            row[2] = 1

    def _add(
        self,
        entry: os.DirEntry[bytes],
        row: list[int],
        device: int,
        rows: dict[bytes, list[int]],
        parents: dict[bytes, bytes],
        todo: list[bytes],
        path: bytes,
    ) -> None:
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            return
        if found.st_dev != device or (
            found.st_nlink > 1 and not stat.S_ISDIR(found.st_mode) and self._is_repeat(found)
        ):
            return
        size = found.st_blocks * 512
        if stat.S_ISDIR(found.st_mode) or size >= _LARGE_FILE:
            rows[entry.path] = [size, 1, 0]
            parents[entry.path] = path
            if stat.S_ISDIR(found.st_mode):
                todo.append(entry.path)
        else:
            row[0] += size
            row[1] += 1

    def _is_repeat(self, found: os.stat_result) -> bool:
        key = (found.st_dev, found.st_ino)
        known = key in self.seen
        self.seen.add(key)
        return known


def _list_largest(
    top: bytes, rows: dict[bytes, list[int]], parents: dict[bytes, bytes]
) -> list[tuple[bytes, list[int]]]:
    """Split the largest ones as long as a single entry below is a good part of them; at most _MAX_USED
    rows, by bytes then inodes.
    """
    below: dict[bytes, list[bytes]] = {}
    for path, parent in parents.items():
        below.setdefault(parent, []).append(path)
    out: list[tuple[bytes, list[int]]] = []
    open_ = [top]
    while open_ and len(out) < _MAX_USED:
        path = max(open_, key=lambda p: rows[p][:2])
        open_.remove(path)
        parts = [
            c for c in below.get(path, ()) if any(10 * rows[c][i] >= 3 * rows[path][i] > 0 for i in (0, 1))
        ]
        if parts:
            open_ += parts
        else:
            out.append((path, rows[path]))
    return out


def touch(path: bytes) -> dict[str, object]:
    """Call statvfs, which may hang. `busy`: an earlier process that still waits for the same path."""
    busy = find_older_sibling(path)
    if busy is not None:
        return {"dir": _printable(path), "busy": busy}
    begun = time.monotonic()
    try:
        os.statvfs(path)
        error = 0
    except OSError as e:
        error = e.errno or errno.EIO
    return {"dir": _printable(path), "error": error, "seconds": round(time.monotonic() - begun, 3)}


def find_older_sibling(path: bytes) -> int | None:
    """Return the first process that touches the same path, found in /proc by its command line, if it began
    before this one.
    """
    own = (_read_start(str(os.getpid())), os.getpid())
    for name in os.listdir("/proc"):  # names
        if not name.isdigit() or int(name) == own[1]:
            continue
        try:
            with open(f"/proc/{name}/comm", "rb") as comm:
                if comm.read(32).strip() != NAME.encode():
                    continue
            with open(f"/proc/{name}/cmdline", "rb") as line:
                words = line.read(1 << 16).rstrip(b"\0").split(b"\0")
            if words[-2:] == [b"touch", path] and (_read_start(name), int(name)) < own:
                return int(name)
        except (OSError, ValueError, IndexError):
            continue
    return None


def _read_start(pid: str) -> int:
    """Return a process' start in ticks since boot."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        return int(file.read(4096).rpartition(b")")[2].split()[19])


def _format_flags(immutable: bool, append: bool) -> str:
    return f"----{'i' if immutable else '-'}{'a' if append else '-'}--"


def _printable(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")


def settle() -> None:
    """Give the child a name by which a hung earlier child is found, and let it end with the collector."""
    # PR_SET_NAME and PR_SET_PDEATHSIG: both are left to a process that may open nothing for writing.
    _libc().prctl(15, NAME.encode(), 0, 0, 0)
    _libc().prctl(1, 9, 0, 0, 0)


def _answers(argv: list[str], given: list[str]) -> Iterator[dict[str, object]]:
    what, *rest = argv
    if what == "read":
        # On a busy machine the start may take longer than the reading.
        yield {"begun": True}
        for name in given:
            yield {"file": name, "text": _read_text(name, int(rest[0]))}
        return
    if what == "touch":
        yield touch(os.fsencode(rest[0]))
        return
    avoid = frozenset(os.fsencode(p) for p in given)
    end = time.monotonic() + float(rest[0])
    paths = [os.fsencode(p) for p in rest[1 if what in ("space", "own", "open") else 2 :]]
    over: Callable[[bytes], dict[str, object]] = measure_space
    if what == "own":
        over = find_owner
    elif what == "open":
        over = partial(find_owner, examine=os.stat)
    elif what == "flags":
        over = Walk(choose_reader(), avoid, end, int(rest[1])).over
    elif what == "use":
        over = OpenUse(avoid, end, int(rest[1])).over
    for path in paths:
        yield over(path)


def _read_text(path: str, cap: int) -> str | None:
    try:
        with open(path, "rb") as file:
            return file.read(cap).decode("utf-8", "backslashreplace")
    except OSError:
        return None


def main(argv: list[str]) -> None:
    """Run as the child; see the module."""
    settle()
    for answer in _answers(argv, json.loads(sys.stdin.read() or "[]")):
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
