"""`ps`: processes with their state, where the columns show it. Arguments are a stranger's: only the program's name is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unstuck.collect.text.piece import Command, Piece, Reading

_HEADER = re.compile(r"^\s*(?:\S+\s+)*?(?:PID|USER|UID)\s+.*\b(?:CMD|COMMAND|COMM)\s*$")
_AUX = re.compile(r"^\s*[\w+.-]{1,64}\s+\d{1,10}\s+(?:\d{1,10}\s+)?[\d.]{1,10}\s+")


def find(lines: Sequence[str], i: int, command: Command | None) -> int | None:
    """A header, or rows below a `ps` command."""
    asked = command is not None and command.program in ("ps", "docker-runc", "runc", "top")
    if not (_HEADER.match(lines[i]) or (asked and _AUX.match(lines[i]))):
        return None
    end = i + 1
    while end < len(lines) and _AUX.match(lines[end]):
        end += 1
    return end


def read(_piece: Piece) -> Reading:
    """No fact yet is about a process that no cgroup ties to a Pod; the lines are known for what they are."""
    return Reading()
