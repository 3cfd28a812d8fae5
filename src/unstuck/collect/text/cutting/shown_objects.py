"""Find the object that the command above some lines shows."""

from __future__ import annotations

from unstuck.collect.objects.kinds import find_kind
from unstuck.collect.text.cutting.piece import Piece, TypedCommand
from unstuck.facts.core import Ref


def find_described_object(piece: Piece) -> Ref | None:
    """Return the one object that the command above describes (`kubectl describe pod web-0`, `…
    pod/web-0`).
    """
    return _make_ref(find_described_name(piece.command), piece)


def find_shown_object(piece: Piece) -> Ref | None:
    """Return the one object that the command above describes or gets (`kubectl get ns shop`)."""
    return _make_ref(_find_name(piece.command, ("describe", "get")), piece)


def find_described_name(command: TypedCommand | None) -> tuple[str, str] | None:
    """Return the kind, as typed, and the name of the one object that a command describes."""
    return _find_name(command, ("describe",))


def _make_ref(named: tuple[str, str] | None, piece: Piece) -> Ref | None:
    own = find_kind(named[0]) if named else None
    return Ref(own.ref_kind, piece.namespace if own.namespaced else None, named[1]) if own and named else None


def _find_name(command: TypedCommand | None, verbs: tuple[str, ...]) -> tuple[str, str] | None:
    words = command.arguments if command and command.program == "kubectl" else ()
    if words[:1] not in [(verb,) for verb in verbs]:
        return None
    named = words[1].partition("/")[::2] if len(words) == 2 and "/" in words[1] else words[1:]
    return (named[0], named[1]) if len(named) == 2 else None
