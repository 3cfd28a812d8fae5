"""`lsof`: the processes that hold files below a Pod's volumes, by pid.

Source: lsof(8), columns `COMMAND PID [TID [TASKCMD]] USER FD TYPE DEVICE SIZE/OFF NODE NAME`.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.facts.aspects.host import PathUses, Proc, Use
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_HEADER = regex(
    r"^\s*COMMAND\s+PID\s+(?:TID\s+)?(?:TASKCMD\s+)?USER\s+FD\s+TYPE\s+DEVICE\s+SIZE(?:/OFF)?\s+NODE\s+NAME\s*$"
)
_ROW = regex(
    r"^\s*(?P<comm>\S{1,64})\s+(?P<pid>\d{1,10})\s+(?:\d{1,10}\s+(?:\S{1,64}\s+)?)?[\w.+-]{1,64}\s+"
    r"(?P<fd>cwd|rtd|txt|mem|mmap|DEL|ltx|NOFD|err|\d{1,9}[rwu-]?[a-zA-Z]?)\s+(?P<type>[A-Za-z]\w{2,15})\s+(?P<rest>\S.*)$"
)
_PATH = regex(r"\s(?P<path>/.{0,4095}?)(?: \(deleted\)| \([^()]{1,512}\))?\s*$")
_POD = regex(r"/pods/(?P<uid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:/|$)")
_HOW = {
    "cwd": "cwd",
    "rtd": "root",
    "txt": "maps",
    "mem": "maps",
    "mmap": "maps",
    "DEL": "maps",
    "ltx": "maps",
}
_NO_HOLD = ("NOFD", "err")


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of the header and its rows, or of rows below such a command."""
    asked = command is not None and command.program == "lsof"
    if not (_HEADER.match(lines[i]) or (asked and _ROW.match(lines[i]))):
        return None
    return find_end_of_run(lines, i + 1, lambda line: _ROW.match(line) or line.startswith("lsof: WARNING"))


def read(piece: Piece) -> Reading:
    """Return PathUses about each Pod by its uid; never whole: lsof leaves out unreadable processes."""
    out = Reading()
    uses: dict[str, list[tuple[int, Use]]] = {}
    for n, line in enumerate(piece.lines):
        row = _ROW.match(line)
        if row is None:
            continue
        proc = Proc(int(row["pid"]), row["comm"])
        out.processes.setdefault(proc.pid, proc)
        path = _PATH.search(" " + row["rest"])
        pod = _POD.search(path["path"]) if path else None
        if path and pod and row["fd"] not in _NO_HOLD:
            uses.setdefault(pod["uid"], []).append((n, Use(proc, _HOW.get(row["fd"], "fd"), path["path"])))
    for uid, held in uses.items():
        items = tuple(u for _, u in held)
        out.facts.append(
            PathUses(about=Ref("Pod", uid=uid), src=piece.src(held[0][0]), items=items, whole=False)
        )
    return out
