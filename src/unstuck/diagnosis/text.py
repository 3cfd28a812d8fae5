"""A text that a person reads, in both languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from unstuck.facts.core import Ref
from unstuck.facts.text import NO_TEXT, Messages, Text, join_texts, list_names, make_text, same_in_both

say = Messages(__name__)
__all__ = [
    "NO_TEXT",
    "Messages",
    "Text",
    "called",
    "format_duration",
    "join_texts",
    "list_names",
    "make_text",
    "same_in_both",
    "told_apart",
    "who",
]


def who(ref: Ref) -> str:
    """Return `Pod default/ed-immut`, `Node lab-1`: an object's name in a sentence; its kind if it has no
    name.
    """
    return told_apart(ref if ref.name or ref.uid else replace(ref, block=None))


def told_apart(ref: Ref) -> str:
    """Name an object as `who` does, for a list: there the source distinguishes nameless objects."""
    name = ref.name or ref.uid or ref.block
    if name is None:
        return f"{ref.kind} {ref.within}" if ref.within else ref.kind
    # A text is no object: its file's name identifies it.
    if ref.kind == "Text":
        return name
    return f"{ref.kind} {ref.within}/{name}" if ref.within else f"{ref.kind} {name}"


def called(ref: Ref) -> Text:
    """Name it as `who` does; without a name, by its source."""
    if ref.name or ref.uid:
        return same_in_both(who(ref))
    if ref.block is None:
        return say("unnamed {kind}", kind=ref.kind)
    file, _, lines = ref.block.rpartition(":")
    where = format_span(lines)
    if "-" in where:
        return say("unnamed {kind} ({file}, lines {where})", kind=ref.kind, file=file, where=where)
    return say("unnamed {kind} ({file}, line {where})", kind=ref.kind, file=file, where=where)


def format_span(lines: str) -> str:
    """Return `3-7`, and `3` for `3-3`."""
    first, _, last = lines.partition("-")
    return lines if last not in ("", first) else first


def format_duration(span: timedelta) -> Text:
    """Return `12 min`, `3 h 20 min`, `5 d`, in both languages."""
    seconds = max(0, int(span.total_seconds()))
    if seconds < 120:
        return say("{seconds} s", seconds=seconds)
    minutes = seconds // 60
    if minutes < 120:
        return say("{minutes} min", minutes=minutes)
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        return say("{hours} h {rest} min", hours=hours, rest=rest) if rest else say("{hours} h", hours=hours)
    return say("{days} d", days=hours // 24)
