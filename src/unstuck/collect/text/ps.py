"""`ps`: process ids with their program's name and state. Arguments are a stranger's and not kept.

Forms (procps): `-f`/`-ef` (`UID PID PPID C STIME TTY [STAT] TIME CMD`), `aux` (`USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from unstuck.collect.text.piece import Command, Piece, Reading
from unstuck.facts.aspects.host import Proc

_HEADER = re.compile(r"^\s*(?:UID|USER)\s+PID\s+.*\b(?:CMD|COMMAND)\s*$")
_FULL = re.compile(
    r"^\s*[\w+.-]{1,64}\s+(?P<pid>\d{1,10})\s+(?P<parent>\d{1,10})\s+\d{1,3}\s+\S{1,12}\s+\S{1,16}\s+(?:(?P<state>[DIRSTXZtW][<NLsl+]{0,6})\s+)?"
    r"\d[\d:.-]{3,16}\s+(?P<program>\S{1,4096})"
)
_AUX = re.compile(
    r"^\s*[\w+.-]{1,64}\s+(?P<pid>\d{1,10})\s+[\d.]{1,6}\s+[\d.]{1,6}\s+\d{1,15}\s+\d{1,15}\s+\S{1,16}\s+(?P<state>[DIRSTXZtW][<NLsl+]{0,6})\s+"
    r"\S{1,12}\s+\d[\d:.-]{2,16}\s+(?P<program>\S{1,4096})"
)


def find(lines: Sequence[str], i: int, command: Command | None) -> int | None:
    """A header and its rows, or rows below a `ps` command."""
    asked = command is not None and (command.program == "ps" or "ps" in command.arguments[:1])
    if not (_HEADER.match(lines[i]) or (asked and _row(lines[i]))):
        return None
    end = i + 1
    while end < len(lines) and _row(lines[end]):
        end += 1
    return end


def _row(line: str) -> re.Match[str] | None:
    return _AUX.match(line) or _FULL.match(line)


def read(piece: Piece) -> Reading:
    """No facts: a process that no cgroup ties to a Pod is nobody's. Its name serves other lines of the same text that name its pid."""
    out = Reading()
    for line in piece.lines:
        found = _row(line)
        if found:
            groups = found.groupdict()
            parent = groups.get("parent")
            name = found["program"].strip("[]()").rpartition("/")[2][:64]
            out.processes[int(found["pid"])] = Proc(
                int(found["pid"]), name, state=(found["state"] or "")[:1], parent=int(parent) if parent else None
            )
    return out
