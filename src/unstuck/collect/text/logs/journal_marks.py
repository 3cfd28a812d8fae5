"""The marks that journalctl itself writes around a journal's lines: its range of time, the beginning of a
boot, an empty journal.

Source: systemd src/journal/journalctl.c (`Logs begin at`; later `Journal begins at`), src/shared/logs-show.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.facts.regex import regex

_MARK = regex(
    r"^-- (?:(?:Logs|Journal) begins? at .{1,200}|Boot [0-9a-f]{32}|Reboot|No entries|cursor: \S{1,300}) ?"
    r"(?:--)?$"
)


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of one line."""
    return i + 1 if _MARK.match(lines[i]) else None


def read(_piece: Piece) -> Reading:
    """Return nothing: a journal that reaches so far may still have been printed in part."""
    return Reading()
