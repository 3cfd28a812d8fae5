"""Finds the end of a multi-line message: it continues until the next event, record or blank line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unstuck.collect.text.cutting.split import parse_command
from unstuck.facts.regex import regex
from unstuck.wording.klog import is_header

_CONTINUES = (
    "Unmounting arguments:",
    "Output:",
    "Mounting command:",
    "Mounting arguments:",
    "mount: ",
    "mount.",
    "Refer to the mount.",
    "(exit",
    "Warning:",
    "fit failure ",
    # The answer of an exec in CRI-O: cri-o internal/oci/oci.go (ExecSyncError).
    "exec failed: ",
    ", stdout: ",
)
# A record of a log, an object, a table or a description begins: no program's words within another's message
# look so.
_ANOTHER = regex(
    r"^\s*(?:\d{4}[-/]\d\d[-/]\d\d[T ]|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d |\[ *[\d.]{5,20}\]|\{"
    r"|apiVersion:|---|```"
    r"|[A-Z][A-Z ()-]{2,40}\s{2,}\S|[A-Z][\w /.-]{1,40}:(?:\s{2,}|\s*$)|time=\"?\d)"
)
# `Events:` has its rows below it, and is no message.
_TITLE = regex(r"[A-Z][A-Za-z]{1,20}(?: [A-Za-z]{1,20}){0,2}:")
# The limit of a message's lines between two records, or below a line that ends with a colon.
_MOST = 24


def is_continuation(line: str) -> bool:
    """Tell whether the line continues a message: it may hold line breaks (`Unmounting arguments: …`, `Output:
    …`, `(exit status 1)`), and a blank line may lie between rows.
    """
    text = line.strip()
    return not text or line.startswith((" ", "\t")) or text.startswith(_CONTINUES)


def find_end_of_open(lines: Sequence[str], i: int, begins: Callable[[str], bool]) -> int:
    """Return the end of a program's own lines in the message of a record: all lines up to a blank one or the
    next record.

    i: of the first line below a record that is no row. Such words it is where the line above it ends with a
    colon, or where another record follows without a blank line in between; else, and where something else
    begins within, i is returned. begins: whether a record begins.
    """
    end = i
    while end < min(i + _MOST, len(lines)) and lines[end].strip() and not begins(lines[end]):
        if _ANOTHER.match(lines[end]) or is_header(lines[end]) or parse_command(lines[end]):
            return i
        end += 1
    followed = end < len(lines) and begins(lines[end])
    above = lines[i - 1].strip()
    return end if followed or (above.endswith(":") and not _TITLE.fullmatch(above)) else i
