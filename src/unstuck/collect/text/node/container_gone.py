"""The answers of tools about a container or process that no longer exists: `docker exec`, `docker kill`,
`kill`; and a container's pid.

Sources: containerd pkg/process/init_state.go, runtime/v1/linux/proc (`cannot exec in a stopped state`), runc
libcontainer/error.go up to 0.1 (`container destroyed`), kill(1), bash builtins/kill.def (English and
Chinese), docs.docker.com/engine/api (`State.Pid`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.collect.text.cutting import message
from unstuck.collect.text.cutting.piece import Gone, Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.facts.aspects.runtime import RuntimeWord
from unstuck.facts.regex import regex

_ID = r"[0-9a-f]{4,64}"
_NAMED = regex(rf"^{_ID}$")
_NO_EXEC = regex(r"\bcannot exec in a (?:stopped|deleted) (?:container|state)\b")
_DESTROYED = regex(
    rf"\bcontainer (?P<id>{_ID}): \[\d{{1,2}}\] Container does not exist: container destroyed\s*$"
)
_NO_PROCESS = regex(
    r"\bkill: (?:sending signal to )?\(?"
    r"(?P<pid>\d{1,10})\)?(?: failed)?(?:: | - )(?:No "
    r"such process|没有那个进程)\s*$"
)
_PID = regex(r"^\s*\"Pid\": (?P<pid>[1-9]\d{0,9}),?\s*$")
# Each such line contains one.
_LITERALS = ('"Pid"', "cannot exec in a ", "container destroyed", "kill: ")
_RUNTIMES = ("docker", "crictl", "nerdctl", "podman")


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of consecutive lines of this format; None in the output of a program in a container."""
    return (
        find_end_of_run(lines, i + 1, lambda line: _is_answer(line, command))
        if _is_answer(lines[i], command)
        else None
    )


def _is_answer(line: str, command: TypedCommand | None) -> bool:
    if not any(words in line for words in _LITERALS) or (
        command is not None and command.program == "kubectl"
    ):
        return False
    if _PID.match(line) or _NO_EXEC.search(line):
        return _find_container(command) is not None
    return bool(_DESTROYED.search(line) or _NO_PROCESS.search(line))


def _find_container(command: TypedCommand | None) -> str | None:
    """Return the id of the container that a runtime's command was about."""
    if command is None or command.program not in _RUNTIMES:
        return None
    return next((word for word in command.words if _NAMED.match(word)), None)


def read(piece: Piece) -> Reading:
    """Return the missing containers and processes, and docker's record of a container whose pid it shows;
    also the failures that the lines report.
    """
    out = Reading()
    for n, line in enumerate(piece.lines):
        if message.find((line,), 0, None):
            out.facts += message.read(Piece((line,), piece.start + n, piece.command, piece.context)).facts
        out.gone += _find_gone(line, n, piece)
        asked, pid = _find_container(piece.command), _PID.match(line)
        if pid and asked:
            # For an ended container docker shows 0.
            out.words.append(
                (asked, RuntimeWord("dockerd", "running", "docker inspect", int(pid["pid"])), piece.src(n))
            )
    return out


def _find_gone(line: str, n: int, piece: Piece) -> Iterator[Gone]:
    asked = _find_container(piece.command)
    if found := _NO_PROCESS.search(line):
        yield Gone(piece.src(n), pid=int(found["pid"]))
    elif found := _DESTROYED.search(line):
        yield Gone(piece.src(n), container=found["id"])
    elif asked and _NO_EXEC.search(line):
        yield Gone(piece.src(n), container=asked)
