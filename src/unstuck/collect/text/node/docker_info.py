"""`docker info`: that dockerd answers, its version, and the node's kernel.

Source: docker/cli cli/command/system/info.go (17 and later; headings since 18.09).
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.facts.aspects.host import DaemonState, Host
from unstuck.facts.regex import regex

_KEY = regex(r"^\s{0,8}(?P<key>[A-Z][\w .()/-]{0,40}):(?:\s+(?P<value>\S.*))?\s*$")
_BEGINS = regex(r"^\s{0,4}(?:Client:.*|Server:|Containers: \d{1,9})\s*$")
_OURS = frozenset({"Server Version", "Kernel Version"})
_NEAR = 60


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the piece that runs from `Client:` or `Containers: N` to the last line that is
    keyed or indented below.
    """
    if not _BEGINS.match(lines[i]):
        return None
    near = {found["key"] for line in lines[i : i + _NEAR] if (found := _KEY.match(line))}
    if not near >= _OURS:
        return None
    end = i + 1
    for n in range(i + 1, len(lines)):
        line = lines[n]
        if _KEY.match(line) or line.startswith((" ", "\t", "WARNING: ")):
            end = n + 1
        elif line.strip():
            break
    return end


def read(piece: Piece) -> Reading:
    """Return host with the kernel alone, and that dockerd runs; about the Node, never whole."""
    told = {
        found["key"]: (n, found["value"] or "")
        for n, line in enumerate(piece.lines)
        if (found := _KEY.match(line))
    }
    out, about = Reading(), piece.node or piece.block("Node")
    if "Kernel Version" in told:
        n, kernel = told["Kernel Version"]
        out.facts.append(Host(about=about, src=piece.src(n), kernel=kernel[:100], whole=False))
    if "Server Version" in told:
        n, version = told["Server Version"]
        out.facts.append(
            DaemonState(
                about=about,
                src=piece.src(n),
                daemon="dockerd",
                running=True,
                version=version[:60],
                whole=False,
            )
        )
    return out
