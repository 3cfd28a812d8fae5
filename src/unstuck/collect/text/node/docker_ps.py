"""`docker ps`: the Pods of container ids (dockershim names them `k8s_CONTAINER_POD_NAMESPACE_UID_N`).

The state in it is docker's view, not the kubelet's; it counts beside containerd's state of the container.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.facts.aspects.runtime import RuntimeWord, Word
from unstuck.facts.regex import regex
from unstuck.wording.names import find_pod

_HEADER = regex(r"^\s*CONTAINER ID\s+IMAGE\s+COMMAND\s")
_STATE = regex(
    r"\b(?:(?P<running>Up (?:About |Less than )?\S{1,8} (?:second|minute|hour|day|week|month|year)s?)|"
    r"(?P<exited>Exited \(\d{1,3}\))|"
    r"(?P<removing>Removal In Progress)|(?P<dead>Dead)(?=\s{2}))"
)
_GREP = regex(r"\|\s*grep (?:-\S{1,8} ){0,3}[\"']?(?P<id>[0-9a-f]{4,64})[\"']?\s*$")
_ROW = regex(r"^\s*(?P<id>[0-9a-f]{10,64})\s+\S")


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of the header, or of rows below a `docker ps`."""
    asked = command is not None and command.program == "docker" and "ps" in command.arguments[:1]
    if not (_HEADER.match(lines[i]) or (_ROW.match(lines[i]) and (asked or "k8s_" in lines[i]))):
        return None
    return find_end_of_run(lines, i + 1, _ROW.match)


def read(piece: Piece) -> Reading:
    """Return no facts; the containers that a log of the same text may name by id, and docker's word about
    each.
    """
    out, asked = Reading(), _find_searched_id(piece)
    for n, line in enumerate(piece.lines):
        found = _ROW.match(line)
        pod = find_pod(line) if found and "k8s_" in line else None
        if found and pod:
            out.containers[found["id"][:12]] = pod
            state = _parse_state(line)
            if state:
                out.words.append((found["id"], RuntimeWord("dockerd", state, "docker ps"), piece.src(n)))
            if state and asked:
                out.containers[asked[:12]] = pod
                out.words.append((asked, RuntimeWord("dockerd", state, "docker ps"), piece.src(n)))
    return out


def _find_searched_id(piece: Piece) -> str | None:
    """Return the id that was searched for, if the search left one row: further commands name the container
    so, in any column.
    """
    found = _GREP.search(piece.command.text) if piece.command else None
    rows = sum(bool(_ROW.match(line)) for line in piece.lines)
    return found["id"] if found and rows == 1 else None


def _parse_state(row: str) -> Word | None:
    found = _STATE.search(row)
    words: tuple[Word, ...] = ("running", "exited", "removing", "dead")
    return next((w for w in words if found[w]), None) if found else None
