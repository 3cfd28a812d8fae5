"""The report of an internal error: what a maintainer needs, in a file of the user's own."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from unstuck import __version__
from unstuck.collect.masking import masked
from unstuck.collect.output_file import OutFile


def describe_arguments(args: Sequence[str]) -> list[str]:
    """Return the words of a command line without its token, whatever that looks like."""
    out = []
    for before, word in zip(("", *args), args, strict=False):
        hidden = "***" if before == "--token" else "--token=***" if word.startswith("--token=") else repr(word)
        out.append(hidden)
    return out


def write_report(error: BaseException, directory: str | None = None) -> str:
    """Write the traceback with the versions and returns the file's path; says so where no file can be written.

    What looks like a secret in it is masked: an error's words may quote an address with a password.
    """
    words = " ".join(describe_arguments(sys.argv[1:]))
    head = f"unstuck {__version__}\nPython {platform.python_version()} on {platform.platform()}\narguments: {words}\n\n"
    text = head + "".join(traceback.format_exception(error))
    try:
        path = Path(directory or tempfile.gettempdir()) / f"unstuck-report-{os.urandom(8).hex()}.txt"
        with OutFile(str(path)) as file:
            file.write("\n".join(masked(line) for line in text.split("\n")).encode(errors="backslashreplace"))
    except OSError as e:
        return f"nowhere ({e.strerror})"
    return str(path)
