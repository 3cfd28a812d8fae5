"""The one writer of files that are left for the user: bundles, saved Snapshots, reports of errors."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from unstuck.errors import InputError
from unstuck.facts.text import Messages, Text

say = Messages(__name__)

# A reader of the file reads about a cluster.
MODE = 0o600
# In a directory that others may write, nothing of theirs is opened, followed or cut short.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class OutFile:
    """A context that opens a new file for writing: at its end the file has its name, complete and on disk,
    or, after any error, does not exist. Its mode is 0600, even if it replaces a file with wider permissions.

    Errors: FileExistsError if the name is taken and `replace` is not set; InputError if the existing path is
    not a regular file; OSError for a directory without rights, a full disk and the like.
    """

    def __init__(self, path: str, *, replace: bool = False) -> None:
        self._path, self._replace = Path(path), replace
        self._part = self._path.with_name(f".unstuck-{os.urandom(8).hex()}.part")
        self._file: BinaryIO | None = None

    def __enter__(self) -> BinaryIO:
        check_target(str(self._path), replace=self._replace)
        self._file = os.fdopen(os.open(self._part, _NEW, MODE), "wb")
        return self._file

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._file is not None:
                self._finish(self._file)
        finally:
            self.abandon()
            # A write that a full disk refused fails again now.
            with suppress(OSError):
                if self._file is not None:
                    self._file.close()

    def _finish(self, file: BinaryIO) -> None:
        file.flush()
        os.fsync(file.fileno())
        file.close()
        if self._replace:
            check_target(str(self._path), replace=True)
            self._part.replace(self._path)
        else:
            self._take_name()

    def _take_name(self) -> None:
        """Take the name by a link: unlike a rename, it never takes another's place."""
        try:
            os.link(self._part, self._path)
        except FileExistsError:
            raise
        except OSError:
            # A file system without links.
            if os.path.lexists(self._path):
                raise
            self._part.replace(self._path)

    def abandon(self) -> None:
        """Leave nothing behind but a file that has its name. Never raises; may be called at any time, also
        by another thread.
        """
        with suppress(OSError):
            self._part.unlink(missing_ok=True)


def check_target(path: str, *, replace: bool) -> None:
    """Check the existing file of this name. Errors: InputError for anything but a regular file: a link's
    target, a device or a pipe is not the file that was meant; FileExistsError for a regular file, if
    `replace` is not set.
    """
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):
        return  # nothing to check, or opening the new file reports the error
    if not stat.S_ISREG(mode):
        what = _describe_called(mode)
        raise InputError(
            say("{path} is {what} and was left as it is", path=path, what=what),
            say("give the name of a regular file, or a new one"),
        )
    if not replace:
        raise FileExistsError(path)


def _describe_called(mode: int) -> Text:
    if stat.S_ISLNK(mode):
        return say("a symbolic link")
    return say("a directory") if stat.S_ISDIR(mode) else say("no regular file")
