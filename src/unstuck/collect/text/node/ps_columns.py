"""`ps -eo pid,stat,wchan:32,comm,cgroup`: the processes of a Pod, identified by their cgroup. Arguments are a
stranger's and not kept.

Source: procps ps(1); the columns are in the header or, if `grep` removed that, in the command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.collect.text.node.ps import name_program
from unstuck.facts.aspects.host import PodProcesses, Proc
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_CELLS = {
    "pid": r"(?P<pid>\d{1,10})",
    "ppid": r"(?P<parent>\d{1,10})",
    "stat": r"(?P<state>[DIRSTXZtW])[<NLsl+]{0,6}",
    "wchan": r"(?P<wchan>[\w.-]{1,64})",
    "comm": r"(?P<comm>\S.{0,63}?)",
    "args": r"(?P<args>\S.{0,4095}?)",
    "lstart": r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}",
    "cgroup": r"(?P<cgroup>\d{1,3}:\S{1,4096})",
}
_AS = {
    "s": "stat",
    "state": "stat",
    "ucmd": "comm",
    "ucomm": "comm",
    "command": "args",
    "cmd": "args",
    "started": "lstart",
}
_OPTION = regex(
    r"(?:^|\s)-[A-Za-z]{0,8}o\s?(?P<columns>[a-z]{1,16}(?::\d{1,3})?(?:,[a-z]{1,16}"
    r"(?::\d{1,3})?){1,15})(?=\s|$)"
)
HEADER = regex(
    r"^\s*(?:PID|PPID|S|STAT|WCHAN|COMMAND|CGROUP|STARTED)(?:\s+(?:PID|PPID|S|STAT|WCHAN|COMMAND|CGROUP"
    r"|STARTED)){2,7}\s*$"
)

_NEEDED = frozenset({"pid", "cgroup"})
# As long as the longest cell; without an end, a name with spaces in it and a gap are tried against each
# other.
_GAP = r"\s{1,4096}"


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of the header and its rows, or of rows with the columns of the command."""
    row = compile_row(find_columns(lines[i], command), _NEEDED)
    if row is None:
        return None
    if HEADER.match(lines[i]):
        return find_end_of_run(lines, i + 1, row.match)
    return find_end_of_run(lines, i, row.match) if row.match(lines[i]) else None


def read(piece: Piece) -> Reading:
    """Return PodProcesses about each Pod by its uid; never whole: a `grep` for a uid misses the systemd
    driver's form with `_`.
    """
    from unstuck.collect.node.cgroup import parse_groups  # the node's readers bring much with them

    out = Reading()
    row = compile_row(find_columns(piece.lines[0], piece.command), _NEEDED)
    held: dict[str, list[tuple[int, Proc]]] = {}
    for n, line in enumerate(piece.lines):
        found = row.match(line) if row else None
        if found is None:
            continue
        told = found.groupdict()
        groups = parse_groups(told["cgroup"].replace(",", "\n"))
        parent, wchan = told.get("parent"), told.get("wchan") or ""
        proc = Proc(
            int(found["pid"]),
            (told.get("comm") or name_program(told.get("args") or "")).strip()[:64],
            state=told.get("state") or "",
            parent=int(parent) if parent else None,
            pod=groups.pod,
            container=groups.container,
            waits_in="" if wchan in ("-", "0") else wchan,
        )
        out.processes.setdefault(proc.pid, proc)
        if groups.pod:
            held.setdefault(groups.pod, []).append((n, proc))
    for uid, mine in held.items():
        # The line that tells most: of unkillable processes.
        at = next((n for n, p in mine if p.state in ("D", "Z")), mine[0][0])
        out.facts.append(
            PodProcesses(
                about=Ref("Pod", uid=uid), src=piece.src(at), items=tuple(p for _, p in mine), whole=False
            )
        )
    return out


def find_columns(line: str, command: TypedCommand | None) -> tuple[str, ...]:
    """Return the names of the columns, by the header, else by the command; () if neither shows them."""
    if HEADER.match(line):
        return tuple(line.lower().split())
    if command is None or command.program != "ps":
        return ()
    found = _OPTION.search(command.text)
    return tuple(c.partition(":")[0] for c in found["columns"].split(",")) if found else ()


@lru_cache(64)
def compile_row(columns: tuple[str, ...], needed: frozenset[str]) -> re.Pattern[str] | None:
    """Compile the pattern of such rows, each cell a group by its column's name; None if needed columns are
    missing, or not known.
    """
    names = [_AS.get(c, c) for c in columns]
    if not needed <= set(names) or len(set(names)) != len(names) or not set(names) <= set(_CELLS):
        return None
    return re.compile(r"^\s*" + _GAP.join(_CELLS[name] for name in names) + r"\s*$")
