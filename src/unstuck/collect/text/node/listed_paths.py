"""Rows of `ls -l` beside an error: owner and mode of the path that it names, or of the directory above it.
`id` shows the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from posixpath import join, normpath

from unstuck.collect.masking import mask
from unstuck.collect.text.cutting.piece import Piece
from unstuck.facts.aspects.pasted import ToldError
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

# Of GNU coreutils and busybox: mode, links, owner, group, size, time, name.
LISTED = regex(
    r"^(?P<mode>[bcdlps-][rwxsStT-]{9})[.+@]?\s+\d{1,9}\s+(?P<owner>[\w.$-]{1,64})\s+(?P<group>[\w.$-]{1,64})\s+"
    r"(?:\d{1,6},\s*)?\d{1,18}\s+(?:[A-Z][a-z]{2}\s+\d{1,2}\s+[\d:]{4,5}|\d{4}-\d\d-\d\d\s+[\d:]{5}\S*(?:\s+[+-]\d{4})?)"
    r"\s+(?P<name>\S.{0,400}?)(?: -> .*)?$"
)
_ID = regex(r"^uid=\d{1,10}(?:\([^)\s]{1,64}\))? gid=\d{1,10}(?:\([^)\s]{1,64}\))?")
_OF_OWNERS: tuple[ProgramError, ...] = ("permission-denied",)


def add_owner(told: ToldError, pieces: Sequence[Piece]) -> ToldError:
    """Return a refusal with the listed owner of its path; another error, or one without such a row,
    unchanged.
    """
    said = told.complaint
    if said.error not in _OF_OWNERS or not said.path.startswith("/") or said.detail:
        return told
    rows = [(path, text) for path, text in _list_rows(pieces) if is_at_or_below(said.path, path)]
    if not rows:
        return told
    # The nearest to the path.
    _, listed = max(rows, key=lambda row: len(row[0]))
    users = [found[0] for piece in pieces for line in piece.lines if (found := _ID.match(line.strip()))]
    detail = "; ".join([listed, *users[:1]])
    return replace(told, complaint=replace(said, detail=mask(detail)))


def _list_rows(pieces: Sequence[Piece]) -> Iterator[tuple[str, str]]:
    """Yield each listed path with its mode, owner and group, below `ls` of a directory with its full path."""
    for piece in pieces:
        words = piece.command.words if piece.command else ()
        at = next((w for w in reversed(words) if w.startswith("/") and not w.endswith("/ls")), "")
        if not at or "ls" not in {w.rpartition("/")[2] for w in words}:
            continue
        for line in piece.lines:
            if (found := LISTED.match(line.strip())) and found["name"] != "..":
                path = normpath(at if found["name"] == at else join(at, found["name"]))
                yield path, f"{path} {found['mode']} {found['owner']}:{found['group']}"
