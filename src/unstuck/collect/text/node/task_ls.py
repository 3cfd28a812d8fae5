"""`ctr task ls`: containerd's state of its tasks; docker's own are in the namespace `moby`.

Source: containerd cmd/ctr/commands/tasks/list.go (`TASK PID STATUS`), docker-container-ctr of docker 17.12
and 18.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.facts.aspects.runtime import RuntimeWord, Word
from unstuck.facts.regex import regex

_HEADER = regex(r"^\s*TASK\s+PID\s+STATUS\s*$")
_ROW = regex(
    r"^\s*(?P<id>[0-9a-f]{64})\s+(?P<pid>\d{1,10})\s+(?P<state>RUNNING|STOPPED|CREATED|PAUSED|PAUSING"
    r"|UNKNOWN)\s*$"
)
_WORDS: dict[str, Word] = {
    "RUNNING": "running",
    "STOPPED": "exited",
    "CREATED": "created",
    "PAUSED": "paused",
}


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the header, or of rows."""
    if not (_HEADER.match(lines[i]) or _ROW.match(lines[i])):
        return None
    return find_end_of_run(lines, i + 1, _ROW.match)


def read(piece: Piece) -> Reading:
    """Return no facts by itself; containerd's record of each container, to compare with another daemon's."""
    out = Reading()
    for n, line in enumerate(piece.lines):
        found = _ROW.match(line)
        if found and (state := _WORDS.get(found["state"])):
            out.words.append(
                (
                    found["id"],
                    RuntimeWord("containerd", state, "ctr task ls", int(found["pid"])),
                    piece.src(n),
                )
            )
    return out
