"""Errors about unreadable texts: the kind of text, and the command to run next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from unstuck.api.text_kinds import recognise
from unstuck.errors import InputError
from unstuck.facts.core import shorten
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import NO_TEXT, Messages, Text

if TYPE_CHECKING:
    from unstuck.api.text_features import TextKind

say = Messages(__name__)


T = TypeVar("T")
EVENTS = say("next: kubectl get events -A | unstuck read -")
_ABOVE = say(
    "useful would be what stands above it, and the state of the object that it is about, or of the Pod that "
    "wrote it: kubectl describe KIND NAME -n NAMESPACE | unstuck read -"
)
_BEYOND = say(
    "useful would be lines of that program at the level of warning or error, and what does not work: "
    "kubectl describe KIND NAME"
)


def make_nothing_read_error(place: Text, texts: Sequence[str]) -> InputError:
    """Return the error for unreadable texts: their kind and the command to run next, if known."""
    kind = next((k for text in texts if (k := recognise(text))), None)
    from unstuck.api.unread import (
        find_calm_line,
        find_reason,
        find_relayed_line,
    )  # unreadable texts are rare

    if calm := find_first(find_calm_line, texts):
        return InputError(_describe_calm(place, kind, calm), _BEYOND)
    if relayed := find_first(find_relayed_line, texts):
        said = say(
            "no line of {place} reports a fault: the one that comes nearest passes on what another program "
            "wrote as information: {line}; whether anything else is wrong it does not tell",
            place=place,
            line=relayed,
        )
        return InputError(said, _BEYOND)
    reason = find_first(find_reason, texts)
    if kind is None and reason is not None:
        message = say("no cause is known for what stands in {place}", place=place)
    else:
        message = say("nothing in {place} could be read as Kubernetes evidence", place=place)
    if kind is not None:
        message += say(": it is {what}", what=kind.what)
    if reason is not None:
        message += say("; this line looks like the reason: {reason}", reason=reason)
    useful = kind.useful if kind is not None else _ABOVE if reason is not None else None
    return InputError(message, choose_next_command(texts) or useful)


def _describe_calm(place: Text, kind: TextKind | None, line: str) -> Text:
    """Explain that a line is no fault by its own level and wording, so that nothing follows about the
    object.
    """
    what = say("{place} is {what}", place=place, what=kind.what) if kind is not None else place
    return what + say(
        "; no line of it reports a fault: the one that comes nearest is about what its program skips, as "
        "nobody needs it: {line}; whether anything else is wrong it does not tell",
        line=line,
    )


def name_files(paths: Iterable[str]) -> Text:
    """Return the names of the input, joined."""
    named = ", ".join(paths)
    return say("{named}", named=named)


def find_first(find: Callable[[str, TextKind | None], T | None], texts: Iterable[str]) -> T | None:
    """Return the first result among the texts."""
    return next((said for text in texts if (said := find(text, recognise(text)))), None)


def choose_next_command(texts: Iterable[str]) -> Text | None:
    """Return the command to run next for the first text that names an object."""
    from unstuck.api.unread import run_next  # unreadable texts are rare

    return find_first(run_next, texts)


def quote_log_end(snap: Snapshot) -> Text:
    """Quote the last line of a log: its names may be the only useful information."""
    from unstuck.facts.aspects.pod import LastLines

    logs = reversed(snap.every(LastLines))
    line = next((line.strip() for f in logs for line in reversed(f.lines) if line.strip()), "")
    return say("; its last line: {line}", line=shorten(line)) if line else NO_TEXT
