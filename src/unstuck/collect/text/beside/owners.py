"""The owner of a path, and the user that a program runs as, beside a refusal."""

from __future__ import annotations

from posixpath import basename, dirname, join, normpath

from unstuck.collect.masking import mask
from unstuck.collect.text.beside.page import FoundReason, ShownText, TextReport
from unstuck.collect.text.node.listed_paths import LISTED
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex

_REFUSALS = ("permission-denied", "ownership-refused", "EACCES", "EPERM")
_RUNS_AS = regex(r"^\s*(?:- )?\"?runAsUser\"?: (?P<user>\d{1,10})\b")
_WENT = regex(r"(?:^|[;&|$#>]\s*)cd\s+(?P<path>[\w./-]{1,400})\s*$")


def find_owner(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find the row of `ls -l` of the path that is refused, or of a directory above it, where `cd` tells the
    directory of the rows.
    """
    if report.error not in _REFUSALS or not report.path.startswith("/"):
        return None
    at, best = "", None
    for row in page.rows:
        for text in (row.typed, row.text):
            if went := _WENT.search(text.strip()):
                at = went["path"]
        listed = LISTED.match(row.text.strip())
        if not listed or listed["name"] in (".", ".."):
            continue
        where = _find_directory(at, report.path, listed["name"])
        path = normpath(join(where, listed["name"])) if where else ""
        if path and is_at_or_below(report.path, path) and (best is None or len(path) > len(best.name)):
            owner = f"{listed['owner']}:{listed['group']}"
            best = FoundReason("path-owner", row, mask(path), mask(owner), listed["mode"])
    return best


def _find_directory(went: str, path: str, name: str) -> str:
    """Return the directory of a listed name: as it was entered, else the one in the path that has it."""
    if went.startswith("/"):
        return went
    if path.split("/").count(name) != 1:
        return ""
    above = dirname(path)
    while above not in ("/", "") and not is_at_or_below(path, join(above, name)):
        above = dirname(above)
    return above if not went or basename(above) == basename(went) else ""


def find_user(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find the user that the manifest beside the refusal has the container run as."""
    if report.error not in _REFUSALS:
        return None
    for row in page.rows:
        found = _RUNS_AS.match(row.text)
        if found and found["user"] != "0":
            return FoundReason("run-as", row, found["user"])
    return None
