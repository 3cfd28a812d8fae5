"""Identifies the kind of an unreadable text by its distinctive features, and a more useful text. Pure.

Each kind lists its required features; the first matching kind wins. Kinds are never guessed: without the
features none is claimed.
"""

from __future__ import annotations

from unstuck.api.program_texts import PROGRAM_TEXTS
from unstuck.api.system_texts import SYSTEM_TEXTS
from unstuck.api.text_features import TextKind

# The examined beginning of a text.
HEAD = 32768
_KINDS = (*SYSTEM_TEXTS, *PROGRAM_TEXTS)


def recognise(text: str) -> TextKind | None:
    """Return the kind of the text, None if its features match none."""
    head = text[:HEAD]
    return next((kind for kind, features in _KINDS if all(feature(head) for feature in features)), None)


def list_kinds() -> tuple[TextKind, ...]:
    """Return every recognisable kind."""
    return tuple(kind for kind, _ in _KINDS)
