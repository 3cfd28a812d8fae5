"""The report of an internal error: what a maintainer needs, in a file of the user's own."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from pathlib import Path

from unstuck import __version__
from unstuck.collect.masking import masked
from unstuck.collect.outfile import OutFile


def write_report(error: BaseException, directory: str | None = None) -> str:
    """Writes the traceback with the versions and returns the file's path; says so where no file can be written.

    What looks like a secret in it is masked: an error's words may quote an address with a password.
    """
    head = f"unstuck {__version__}\nPython {platform.python_version()} on {platform.platform()}\narguments: {sys.argv[1:]!r}\n\n"
    text = head + "".join(traceback.format_exception(error))
    try:
        path = Path(directory or tempfile.gettempdir()) / f"unstuck-report-{os.urandom(8).hex()}.txt"
        with OutFile(str(path)) as file:
            file.write("\n".join(masked(line) for line in text.split("\n")).encode(errors="backslashreplace"))
    except OSError as e:
        return f"nowhere ({e.strerror})"
    return str(path)
