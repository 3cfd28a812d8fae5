"""Looks at files in a process of its own, whose command line names what it looks at, so that a look that never returns hurts nobody.

Run as a file, with nothing but the standard library: `python -I -S look.py flags SECONDS ENTRIES DIR…`, `space SECONDS DIR…`,
`use SECONDS ENTRIES DIR…`, `touch DIR` or `read BYTES`.
Reads from stdin a JSON list of paths that must not be touched (`read`: that are to be read). Writes one JSON line for each path,
before it begins the next one.

`flags`: attributes i and a at and below DIR, on DIR's own device, by statx with AT_STATX_DONT_SYNC, which opens nothing and asks no server.
Source: statx(2), ioctl_iflags(2) (the only way before kernel 4.11, for files and directories).
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import platform
import stat
import struct
import sys
import time
from collections.abc import Callable, Iterator

NAME = "unstuck-look"
_AT_FDCWD = -100
# AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC
_PASSIVE = 0x100 | 0x800 | 0x4000
_STATX_TYPE = 0x1
_IMMUTABLE, _APPEND = 0x10, 0x20
_GETFLAGS = 0x80086601
_SYSCALL = {"x86_64": 332, "aarch64": 291, "riscv64": 291, "loongarch64": 291, "ppc64le": 383, "s390x": 379, "i686": 383, "armv7l": 397}
_MAX_HITS = 200

# device, is a directory, immutable, append-only; the last two None where the file system does not tell
Attributes = tuple[tuple[int, int], bool, bool | None, bool | None]


def statx(path: bytes) -> Attributes:
    """Attributes by statx. Errors: OSError, ENOSYS where the kernel or the machine is unknown to it."""
    number = _SYSCALL.get(platform.machine())
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
    """Attributes by FS_IOC_GETFLAGS, for kernels without statx: opens files and directories, nothing else."""
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


def reader() -> Callable[[bytes], Attributes]:
    """What this kernel offers."""
    try:
        statx(b"/")
    except OSError as e:
        return getflags if e.errno == errno.ENOSYS else statx
    return statx


class Walk:
    """One walk over several directories, with one limit for all of them.

    avoid: paths not to be touched; who gives them knows that they are left out.
    end: when to stop, on the monotonic clock. entries: how many to look at in all.
    """

    def __init__(self, attributes: Callable[[bytes], Attributes], avoid: frozenset[bytes], end: float, entries: int) -> None:
        self.attributes = attributes
        self.avoid = avoid
        self.end = end
        self.left = entries
        self.files: list[tuple[str, str]] = []
        self.skipped: list[str] = []
        self.unsupported = False

    def over(self, top: bytes) -> dict[str, object]:
        """What was found at and below one directory: `files` as (path, flags), `skipped` directories, `unsupported`, `error`."""
        self.files, self.skipped, self.unsupported = [], [], False
        error = 0
        try:
            device = self._note(top, self.attributes(top))[0]
            self._walk(top, device)
        except OSError as e:
            error = e.errno or errno.EIO
        return {"dir": _shown(top), "error": error, "files": self.files, "skipped": self.skipped, "unsupported": self.unsupported}

    def _walk(self, top: bytes, device: tuple[int, int]) -> None:
        todo = [top]
        while todo:
            if self.left <= 0 or time.monotonic() > self.end or len(self.files) >= _MAX_HITS:
                self.skipped += [_shown(p) for p in todo]
                return
            todo += [child for child in self._children(todo.pop()) if self._is_directory_here(child, device)]

    def _is_directory_here(self, path: bytes, device: tuple[int, int]) -> bool:
        """Notes one entry; whether it is to be entered."""
        if path in self.avoid:
            return False
        self.left -= 1
        try:
            found = self.attributes(path)
        except OSError as e:
            if e.errno != errno.ENOENT:
                self.skipped.append(_shown(path))
            return False
        if found[0] != device:
            self.skipped.append(_shown(path))
            return False
        return self._note(path, found)[1]

    def _note(self, path: bytes, found: Attributes) -> Attributes:
        _, _, immutable, append = found
        self.unsupported = self.unsupported or immutable is None
        if immutable or append:
            self.files.append((_shown(path), _lsattr(bool(immutable), bool(append))))
        return found

    def _children(self, path: bytes) -> Iterator[bytes]:
        try:
            with os.scandir(path) as entries:
                names = [e.name for _, e in zip(range(max(0, self.left) + 1), entries, strict=False)]
        except OSError as e:
            if e.errno != errno.ENOENT:
                self.skipped.append(_shown(path))
            return
        if len(names) > self.left:
            self.skipped.append(_shown(path))
            del names[max(0, self.left) :]
        yield from (path + b"/" + n for n in sorted(names))


def space(path: bytes) -> dict[str, object]:
    """Size and use of the file system at a path: bytes and inodes, total and free to an ordinary user."""
    try:
        got = os.statvfs(path)
    except OSError as e:
        return {"dir": _shown(path), "error": e.errno}
    unit = got.f_frsize
    return {
        "dir": _shown(path),
        "error": 0,
        "bytes": [got.f_blocks * unit, got.f_bavail * unit],
        "inodes": [got.f_files, got.f_favail],
    }


def _lsattr(immutable: bool, append: bool) -> str:
    return f"----{'i' if immutable else '-'}{'a' if append else '-'}--"


def _shown(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")


def _settle() -> None:
    """A name by which an earlier one that never returned is found, and no life beyond the collector's."""
    # PR_SET_NAME and PR_SET_PDEATHSIG: both are left to a process that may open nothing for writing.
    _libc().prctl(15, NAME.encode(), 0, 0, 0)
    _libc().prctl(1, 9, 0, 0, 0)


def main(argv: list[str]) -> None:
    """Entry of the child; see the module."""
    _settle()
    avoid = frozenset(os.fsencode(p) for p in json.loads(sys.stdin.read() or "[]"))
    end = time.monotonic() + float(argv[1])
    if argv[0] == "flags":
        walk = Walk(reader(), avoid, end, int(argv[2]))
        for path in argv[3:]:
            print(json.dumps(walk.over(os.fsencode(path))), flush=True)  # noqa: T201 - the answer
    elif argv[0] == "space":
        for path in argv[2:]:
            print(json.dumps(space(os.fsencode(path))), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(sys.argv[1:])
