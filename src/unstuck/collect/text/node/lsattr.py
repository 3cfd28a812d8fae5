"""`lsattr`: files and directories with the immutable or append-only attribute (e2fsprogs misc/lsattr.c)."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.facts.aspects.host import FlaggedFile, FlaggedFiles
from unstuck.facts.core import Ref
from unstuck.facts.regex import POD_UID, regex

# Rows of dashes are the line below the heads of a table.
_ROW = regex(r"^(?P<flags>(?=\S*-)[-a-zA-Z]{13,24})\s(?P<path>(?!-+(?: |$))\S.{0,4095})$")
_OTHER = regex(r"^(?:/\S.{0,4095}:|lsattr: .{0,4096})$")
_POD = regex(rf"/pods/(?P<uid>{POD_UID})(?:/|$)")
_SHOWN = "acdeijmstuxACDEFIMNPSTV-"


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of rows, with the directory headings of -R and its errors between them."""
    asked = command is not None and command.program == "lsattr"
    if not (_is_row(lines[i]) or (asked and _OTHER.match(lines[i]))):
        return None
    end = i + 1
    for n in range(i, len(lines)):
        if _is_row(lines[n]) or (_OTHER.match(lines[n]) and (asked or n > i)):
            end = n + 1
        elif lines[n].strip():
            break
    return end


def _is_row(line: str) -> bool:
    found = _ROW.match(line) if "--" in line[:24] else None
    return found is not None and all(c in _SHOWN for c in found["flags"])


def read(piece: Piece) -> Reading:
    """Return FlaggedFiles about each Pod whose directory is in a path, else about the Node. Never whole: the
    walked directories are not shown.
    """
    by: dict[Ref, list[tuple[int, FlaggedFile]]] = {}
    under: dict[Ref, set[str]] = {}
    for n, line in enumerate(piece.lines):
        found = _ROW.match(line) if _is_row(line) else None
        if found is None:
            continue
        path = found["path"].rstrip()
        pod = _POD.search(path)
        about = Ref("Pod", uid=pod["uid"]) if pod else piece.node or piece.block("Node")
        under.setdefault(about, set()).add(
            path[: pod.end()].rstrip("/") if pod else path.rpartition("/")[0] or "/"
        )
        file = FlaggedFile(path, found["flags"])
        rows = by.setdefault(about, [])
        if file.immutable or file.append_only:
            rows.append((n, file))
    out = Reading()
    for about, rows in by.items():
        at = rows[0][0] if rows else 0
        out.facts.append(
            FlaggedFiles(
                about=about,
                src=piece.src(at),
                files=tuple(f for _, f in rows),
                under=tuple(sorted(under[about]))[:16],
                whole=False,
            )
        )
    return out
