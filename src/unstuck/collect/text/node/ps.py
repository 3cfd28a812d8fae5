"""`ps`: process ids with their program's name and state. Arguments are a stranger's and not kept.

Forms (procps): `-f`/`-ef` (`UID PID PPID C STIME TTY [STAT] TIME CMD`), `aux` (`USER PID %CPU %MEM VSZ RSS
TTY STAT START TIME COMMAND`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from unstuck.collect.masking import mask
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.facts.aspects.host import Proc
from unstuck.facts.regex import regex

_HEADER = regex(r"^\s*(?:UID|USER)\s+PID\s+.*\b(?:CMD|COMMAND)\s*$")
_FULL = regex(
    r"^\s*[\w+.-]{1,64}\s+(?P<pid>\d{1,10})\s+(?P<parent>\d{1,10})\s+\d{1,3}\s+\S{1,12}\s+\S{1,16}\s+(?:"
    r"(?P<state>[DIRSTXZtW][<NLsl+]{0,6})\s+)?"
    r"\d[\d:.-]{3,16}\s+(?P<program>\S{1,4096})"
)
_AUX = regex(
    r"^\s*[\w+.-]{1,64}\s+(?P<pid>\d{1,10})\s+[\d.]{1,6}\s+[\d.]{1,6}\s+\d{1,15}\s+\d{1,15}\s+\S{1,16}\s+"
    r"(?P<state>[DIRSTXZtW][<NLsl+]{0,6})\s+"
    r"\S{1,12}\s+\d[\d:.-]{2,16}\s+(?P<program>\S{1,4096})"
)


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of a header and its rows, or of rows below a `ps` command."""
    asked = command is not None and (command.program == "ps" or "ps" in command.arguments[:1])
    if not (_HEADER.match(lines[i]) or (asked and _match_row(lines[i]))):
        return None
    return find_end_of_run(lines, i + 1, _match_row)


def _match_row(line: str) -> re.Match[str] | None:
    return _AUX.match(line) or _FULL.match(line)


def read(piece: Piece) -> Reading:
    """Return no facts: a process without a Pod's cgroup belongs to no Pod. Its name serves other lines of the
    text that name its pid.
    """
    out = Reading()
    for line in piece.lines:
        found = _match_row(line)
        if found:
            groups = found.groupdict()
            parent = groups.get("parent")
            out.processes[int(found["pid"])] = Proc(
                int(found["pid"]),
                name_program(found["program"]),
                state=(found["state"] or "")[:1],
                parent=int(parent) if parent else None,
            )
    return out


def find_pids(lines: Sequence[str]) -> list[int]:
    """Return the pids of the rows among these lines."""
    return [int(found["pid"]) for line in lines if (found := _match_row(line))]


def name_program(words: str) -> str:
    """Return the program's name in a command line; its arguments are a stranger's."""
    return mask(next(iter(words.split()), "").strip("[]()")).rpartition("/")[2][:64]
