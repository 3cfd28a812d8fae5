"""`ps -ww -C kubelet,… -o pid,stat,lstart,args`: whether the kubelet and the runtimes run, as
`DaemonState.ask` asks for it by hand.

Source: procps ps(1): `-C` takes program names, and without such a process only the header is printed. Without
`-ww` each row is cut at the width of the terminal, or at COLUMNS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.collect.text.node.ps_columns import HEADER, compile_row, find_columns
from unstuck.facts.aspects.host import KUBELETS, DaemonState, Proc
from unstuck.facts.regex import regex

Daemon = Literal["kubelet", "containerd", "dockerd", "crio"]
_RUNTIMES: Mapping[str, Daemon] = MappingProxyType(
    {"containerd": "containerd", "dockerd": "dockerd", "crio": "crio"}
)
_NAMES = regex(r"(?:^|\s)-C\s?(?P<names>[\w.,-]{1,200})(?=\s|$)")
_NEEDED = frozenset({"pid", "stat", "args"})
# A row, with any cells.
_ROW = regex(r"^\s*\d{1,10}\s")


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of the header below such a command, and of its rows, if any."""
    row = (
        compile_row(find_columns(lines[i], None), _NEEDED)
        if _find_programs(command) and HEADER.match(lines[i])
        else None
    )
    return find_end_of_run(lines, i + 1, _ROW.match) if row else None


def read(piece: Piece) -> Reading:
    """Return DaemonState about the Node for each running daemon, and for a kubelet that does not run.

    A runtime without a process is not reported, because the node's runtime is unknown; nor is a daemon with
    several processes. A row of another program may be the kubelet with a cut path: then no kubelet is
    reported absent.
    """
    row = compile_row(find_columns(piece.lines[0], None), _NEEDED)
    about = piece.node or piece.block("Node")
    running: dict[Daemon, list[DaemonState]] = {}
    unknown = False
    for n, line in enumerate(piece.lines[1:], 1):
        found = row.match(line) if row else None
        daemon = _parse_daemon(found["args"]) if found and found["state"] != "Z" else None
        if found and daemon:
            proc = Proc(int(found["pid"]), daemon, state=found["state"])
            stopped = proc.state in ("T", "t")
            state = DaemonState(
                about=about,
                src=piece.src(n),
                daemon=daemon,
                running=True,
                proc=proc,
                stopped=stopped,
                whole=False,
            )
            running.setdefault(daemon, []).append(state)
        unknown = unknown or found is None or (daemon is None and found["state"] != "Z")
    out = Reading([of_one[0] for of_one in running.values() if len(of_one) == 1])
    if (
        "kubelet" not in running
        and not unknown
        and set(KUBELETS) <= _find_programs(piece.command)
        and not (piece.command and piece.command.is_filtered)
    ):
        out.facts.append(
            DaemonState(
                about=about,
                src=piece.src(0, "no process kubelet"),
                daemon="kubelet",
                running=False,
                whole=False,
            )
        )
    return out


def _find_programs(command: TypedCommand | None) -> frozenset[str]:
    """Return the programs that `ps` was asked for; none for every other command."""
    found = _NAMES.search(command.text) if command is not None and command.program == "ps" else None
    return frozenset(found["names"].split(",")) if found else frozenset()


def _parse_daemon(args: str) -> Daemon | None:
    from unstuck.collect.node.kubelet import is_kubelet  # the node's readers bring much with them

    words = tuple(args.split())
    program = words[0].rpartition("/")[2]
    return "kubelet" if is_kubelet(program, words) else _RUNTIMES.get(program)
