"""`cat …/ntpd.service`, `systemctl cat ntpd.service`: a unit's settings as its file has them
(systemd.unit(5)).
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.facts.aspects.host import UnitFile
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_SECTION = regex(r"^\s*\[(?:Unit|Service|Install|Socket|Mount|Slice|Scope)\]\s*$")
_PATH = regex(r"^#\s+(?P<path>/\S{1,1000}\.service)\s*$")
_NAME = regex(r"^[A-Za-z0-9:_.@\\-]{1,240}\.service$")
_LONGEST = 400


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of the piece that runs from the first section to the end of the command's output."""
    return (
        min(len(lines), i + _LONGEST)
        if _find_name(command) and (_SECTION.match(lines[i]) or _PATH.match(lines[i]))
        else None
    )


def _find_name(command: TypedCommand | None) -> str | None:
    """Return the name of the one unit that the command shows."""
    if command is None or command.program not in ("cat", "systemctl") or command.is_filtered:
        return None
    words = (
        command.arguments
        if command.program == "cat"
        else command.arguments[1:]
        if command.arguments[:1] == ("cat",)
        else ()
    )
    # systemctl takes a name without a type for a service's.
    named = [w if command.program == "cat" or "." in w else f"{w}.service" for w in words]
    return next((n for w in named[:1] if len(named) == 1 and _NAME.match(n := w.rpartition("/")[2])), None)


def read(piece: Piece) -> Reading:
    """Return UnitFile about the unit. The file alone does not show its drop-ins, so that only `systemctl
    cat` shows it whole.
    """
    name = _find_name(piece.command)
    if name is None or piece.command is None:
        return Reading(understood=False)
    from unstuck.collect.node.units import merge  # the node's readers bring much with them

    settings = tuple(sorted(merge({}, "\n".join(piece.lines)).items()))
    keys = sorted((k for k, _ in settings), key=lambda k: not k.startswith("Private"))
    at = next((n for k in keys for n, line in enumerate(piece.lines) if line.strip().startswith(f"{k}=")), 0)
    about = Ref("Unit", piece.node.name if piece.node else None, name)
    whole = piece.command.program == "systemctl"
    return Reading([UnitFile(about=about, src=piece.src(at), settings=settings, whole=whole)])
