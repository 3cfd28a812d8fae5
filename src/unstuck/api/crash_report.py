"""The report of an internal error: a file readable only by the user, with all information for a
maintainer.
"""

from __future__ import annotations

import os
import platform
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from unstuck import __version__
from unstuck.collect.masking import mask
from unstuck.collect.output_file import OutFile


def hide_tokens(arguments: Sequence[str]) -> list[str]:
    """Quote the words of a command line, its token masked in any form."""
    words = []
    for before, word in zip(("", *arguments), arguments, strict=False):
        words.append(
            "***" if before == "--token" else "--token=***" if word.startswith("--token=") else repr(word)
        )
    return words


def write_crash_report(
    error: BaseException, arguments: Sequence[str] = (), directory: str | None = None
) -> str:
    """Write the traceback with the versions, and return the file's path, or the reason for not writing it.

    Secrets in it are masked: an error's message may quote an address with a password. arguments: the command
    line.
    """
    words = " ".join(hide_tokens(arguments))
    head = (
        f"unstuck {__version__}\nPython {platform.python_version()} on {platform.platform()}\narguments: "
        f"{words}\n\n"
    )
    text = head + "".join(traceback.format_exception(error))
    try:
        path = Path(directory or tempfile.gettempdir()) / f"unstuck-report-{os.urandom(8).hex()}.txt"
        with OutFile(str(path)) as file:
            file.write("\n".join(mask(line) for line in text.split("\n")).encode(errors="backslashreplace"))
    except OSError as e:
        return f"nowhere ({e.strerror})"
    return str(path)
