"""The report of an internal error: what a maintainer needs, in a file of the user's own."""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback

from unstuck import __version__


def write_report(error: BaseException, directory: str | None = None) -> str:
    """Writes the traceback with the versions and returns the file's path; says so where no file can be written."""
    head = f"unstuck {__version__}\nPython {platform.python_version()} on {platform.platform()}\narguments: {sys.argv[1:]!r}\n\n"
    text = head + "".join(traceback.format_exception(error))
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="unstuck-report-", suffix=".txt", dir=directory, delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file:
            file.write(text)
    except OSError as e:
        return f"nowhere ({e.strerror})"
    return file.name
