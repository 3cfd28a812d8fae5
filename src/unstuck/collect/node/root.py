"""A node's root directory, through which everything on the node is read.

`/`, a host mounted somewhere, a recorded tree or `/proc/PID/root`: a path has its meaning on the node, and no
symbolic link leads out of the root. Every read is bounded; an unreadable file gives None.
"""

# names are compared and stored byte for byte; a Path would normalize them
from __future__ import annotations

import errno
import os
from itertools import islice

from unstuck.facts.record import Record, record

MAX_FILE = 8 << 20
MAX_NAMES = 200_000
_MAX_LINKS = 40
_PART = 1 << 20


def escape_name(text: str) -> str:
    """Return a file name as it can be printed and stored: bytes that are no UTF-8 with their code escaped."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


@record()
class Root(Record):
    """path: an absolute directory of this machine. All other paths are the node's own, absolute."""

    path: str = "/"

    @property
    def live(self) -> bool:
        """Whether `proc` below it is the kernel's (whose root is inode 1), not a recorded copy."""
        try:
            return os.stat(self._join(["proc"])).st_ino == 1 and os.path.lexists(self._join(["proc", "self"]))
        except OSError:
            return False

    def real(self, path: str, follow: bool = True) -> str:
        """Return the path on this machine, links resolved inside the root.

        follow: resolve the last component too. Errors: OSError (ELOOP). Nothing but readlink is called.
        """
        if self.path == "/":
            return path
        done = self._walked(path, follow)
        if done is None:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        return self._join(done)

    def _walked(self, path: str, follow: bool) -> list[str] | None:
        """Return the names on the way from the root once every link is followed; None if there are too
        many links.
        """
        todo = path.split("/")[::-1]
        done: list[str] = []
        links = 0
        while todo:
            part = todo.pop()
            if part in ("", "."):
                continue
            if part == "..":
                del done[-1:]
                continue
            target = self._target([*done, part]) if todo or follow else None
            if target is None:
                done.append(part)
                continue
            links += 1
            if links > _MAX_LINKS:
                return None
            if target.startswith("/"):
                done = []
            todo += target.split("/")[::-1]
        return done

    def _target(self, parts: list[str]) -> str | None:
        try:
            return os.readlink(self._join(parts))
        except OSError:
            return None

    def _join(self, parts: list[str]) -> str:
        return "/".join([self.path.rstrip("/"), *parts]) or "/"

    def data(self, path: str, cap: int = MAX_FILE, offset: int = 0) -> bytes | None:
        """Return at most `cap` bytes from `offset` on."""
        try:
            # Never blocks on a FIFO; a device or directory in a recorded tree gives an error or at most
            # `cap`.
            fd = os.open(self.real(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        except (OSError, ValueError):
            return None
        try:
            if offset:
                os.lseek(fd, offset, os.SEEK_SET)
            return _read(fd, cap, offset)
        except OSError:
            return None
        finally:
            os.close(fd)

    def brief(self, path: str, cap: int = 64 << 10) -> str | None:
        """Read as `text` does, by one read: for files that the kernel gives whole at once (`stat`,
        `status`, `cgroup`, `wchan`).
        """
        try:
            fd = os.open(self.real(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        except (OSError, ValueError):
            return None
        try:
            return os.read(fd, cap).decode("utf-8", "backslashreplace")
        except OSError:
            return None
        finally:
            os.close(fd)

    def text(self, path: str, cap: int = MAX_FILE) -> str | None:
        """Read as `data` does, as text; bytes that are no UTF-8 are escaped."""
        data = self.data(path, cap)
        return None if data is None else data.decode("utf-8", "backslashreplace")

    def names(self, path: str) -> tuple[str, ...] | None:
        """Return names in a directory, sorted; nothing is looked up. At most MAX_NAMES."""
        try:
            with os.scandir(self.real(path)) as entries:
                return tuple(sorted(e.name for e in islice(entries, MAX_NAMES)))
        except (OSError, ValueError):
            return None

    def link(self, path: str) -> tuple[str, int]:
        """Return a link's target and 0, or "" and the errno. The target is not looked at."""
        try:
            return os.readlink(self.real(path, follow=False)), 0
        except OSError as e:
            return "", e.errno or errno.EIO
        except ValueError:
            return "", errno.EINVAL

    def stat(self, path: str) -> os.stat_result | None:
        """Run lstat after links were resolved inside the root. Only for paths that are known to be on a
        local file system.
        """
        try:
            return os.lstat(self.real(path))
        except (OSError, ValueError):
            return None


def _read(fd: int, cap: int, offset: int) -> bytes:
    parts: list[bytes] = []
    # A part of a long file is read at once: joining parts would copy it a second time.
    step = cap if cap > _PART and os.fstat(fd).st_size - offset >= cap else _PART
    left = cap
    while left > 0 and (part := os.read(fd, min(left, step))):
        parts.append(part)
        left -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
