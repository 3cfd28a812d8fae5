"""`crictl ps` and `crictl pods`: the Pods of container and sandbox ids.

Source: cri-tools cmd/crictl/container.go and sandbox.go (the column `POD` since 1.26, `NAMESPACE` since
1.30).
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_HEADER = regex(
    r"^\s*(?:CONTAINER(?: ID)?\s+IMAGE\s+CREATED\s+STATE\s+NAME\s|POD ID\s+CREATED\s+STATE\s+NAME"
    r"\s+NAMESPACE\s)"
)
_ROW = regex(r"^\s*(?P<id>[0-9a-f]{12,64})\s+\S")
_STATE = regex(
    r"\s(?:Running|Exited|Created|Unknown|Ready|NotReady|SANDBOX_READY|SANDBOX_NOTREADY)\s+(?P<rest>\S.*)$"
)
_NAME = regex(r"[a-z0-9][a-z0-9.-]{0,252}")


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of the header and its rows, or of rows below such a command."""
    asked = (
        command is not None and command.program == "crictl" and command.arguments[:1] in (("ps",), ("pods",))
    )
    if not (_HEADER.match(lines[i]) or (asked and _parse_row(lines[i]))):
        return None
    return find_end_of_run(lines, i + 1, _parse_row)


def _parse_row(line: str) -> tuple[str, list[str]] | None:
    """Return (id, the words from the name on)."""
    found, state = _ROW.match(line), _STATE.search(line)
    return (found["id"], state["rest"].split()) if found and state else None


def read(piece: Piece) -> Reading:
    """Return no facts; the ids that a log of the same text may name, with their Pods."""
    out = Reading()
    for line in piece.lines:
        row = _parse_row(line)
        if row is None:
            continue
        id_, words = row
        pod: Ref | None = None
        if len(words) >= 3 and words[2].isdecimal():  # NAME NAMESPACE ATTEMPT [RUNTIME]
            pod = Ref("Pod", words[1], words[0])
        elif len(words) >= 4 and words[1].isdecimal():  # NAME ATTEMPT POD ID POD [NAMESPACE]
            pod = Ref("Pod", words[4] if len(words) > 4 else None, words[3])
            out.containers[words[2][:12]] = pod
        if pod and all(_NAME.fullmatch(w) for w in (pod.name, pod.within) if w):
            out.containers[id_[:12]] = pod
    return out
