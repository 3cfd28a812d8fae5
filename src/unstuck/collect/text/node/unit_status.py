"""`systemctl status kubelet`: whether a daemon of the node runs. The log lines below it are read as the log
that they are.

Source: systemd src/systemctl/systemctl-show.c (`● UNIT - DESCRIPTION`, `Loaded:`, `Active:`, `Main PID:`);
the words are never translated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.facts.aspects.host import DaemonState, Proc
from unstuck.facts.regex import regex

Daemon = Literal["kubelet", "containerd", "dockerd", "crio"]
_DAEMONS: Mapping[str, Daemon] = MappingProxyType(
    {
        "kubelet": "kubelet",
        "containerd": "containerd",
        "docker": "dockerd",
        "dockerd": "dockerd",
        "crio": "crio",
        "cri-o": "crio",
    }
)
_UNIT = regex(
    r"^\s*(?:[●○×↻*•.x]\s*)?(?P<name>[\w:.@\\-]{1,240})\.(?:service|socket|mount|timer|scope|slice|target)"
    r"(?: - .*)?\s*$"
)
_KEY = regex(r"^\s*(?P<key>[A-Z][\w /-]{1,30}|TriggeredBy|CGroup|Tasks|CPU|Memory): ?(?P<value>.*)$")
_TREE = regex(r"^\s+(?:[├└│|`]|\S{0,2}─|/|\d{1,10} )|^\s+\S+\.conf\s*$")
_ACTIVE = regex(
    r"^(?P<state>active|inactive|failed|activating|deactivating|reloading)(?: \((?P<sub>[\w-]{1,40})\))?"
)
_PID = regex(r"^(?P<pid>\d{1,10})(?: \((?P<comm>[^()]{1,64})\))?")
_NEAR = 6


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the piece that runs from the unit's name to the blank line before its log, or to a
    line without one of its keys.
    """
    near = [found["key"] for line in lines[i + 1 : i + _NEAR] if (found := _KEY.match(line))]
    if not _UNIT.match(lines[i]) or not {"Loaded", "Active"} & set(near):
        return None
    return find_end_of_run(lines, i + 1, lambda line: _KEY.match(line) or _TREE.match(line))


def read(piece: Piece) -> Reading:
    """Return DaemonState of the daemons that matter, about the Node. Whether one answers is not shown: never
    whole.
    """
    out = Reading()
    unit = _UNIT.match(piece.lines[0])
    daemon = _DAEMONS.get(unit["name"]) if unit else None
    told = {
        found["key"]: (n, found["value"]) for n, line in enumerate(piece.lines) if (found := _KEY.match(line))
    }
    active = _ACTIVE.match(told["Active"][1]) if "Active" in told else None
    if daemon is None or active is None:
        return out
    running = active["state"] in ("active", "reloading") and active["sub"] != "exited"
    pid = _PID.match(told["Main PID"][1]) if "Main PID" in told else None
    # Between two starts, or during one, its state is only momentary: its log counts instead.
    if running or active["state"] in ("inactive", "failed"):
        proc = Proc(int(pid["pid"]), pid["comm"] or daemon) if pid and running else None
        about = piece.node or piece.block("Node")
        out.facts.append(
            DaemonState(
                about=about,
                src=piece.src(told["Active"][0]),
                daemon=daemon,
                running=running,
                proc=proc,
                whole=False,
            )
        )
    return out
