"""What a key does to the screen of a scan that goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from unstuck.facts.record import Record, record
from unstuck.render.watching import View, opened_with, select_rows

_LINES = {"up": -1, "k": -1, "down": 1, "j": 1}
LONGEST = 60


@record()
class KeyAction(Record):
    """What follows from a key. effect: what the view cannot do itself. number: the incident to open."""

    view: View
    effect: Literal["", "quit", "open"] = ""
    number: int = 0


def act_on_key(view: View, key: str, page: int) -> KeyAction:
    """Return what follows from a key. page: how many lines of the screen one page is."""
    if view.typed.startswith("/"):
        return KeyAction(_edit_filter(view, key))
    if view.opened is not None:
        return KeyAction(opened_with(view, None) if key in ("q", "escape", "enter", "back") else _scroll(view, key, page))
    if key == "q":
        return KeyAction(view, "quit")
    if key == "enter":
        return _open(view)
    if key.isdecimal() and key.isascii():
        return KeyAction(replace(view, typed=(view.typed + key)[-6:]))
    if key == "back":
        return KeyAction(replace(view, typed=view.typed[:-1]))
    if key == "escape":
        return KeyAction(replace(view, typed="", needle="", top=0))
    if key == "/":
        return KeyAction(replace(view, typed="/" + view.needle))
    if key == "m":
        return KeyAction(replace(view, members=not view.members, typed="", top=0))
    return KeyAction(_scroll(view, key, page))


def _edit_filter(view: View, key: str) -> View:
    """Let the rows follow each character of a filter."""
    if key == "enter":
        return replace(view, typed="")
    if key == "escape":
        return replace(view, typed="", needle="", top=0)
    more = " " if key == "page-down" else key if len(key) == 1 else ""
    needle = view.typed[1:-1] if key == "back" else view.typed[1:] + more
    if key == "back" and view.typed == "/":
        return replace(view, typed="", needle="")
    needle = needle[:LONGEST]
    return replace(view, typed="/" + needle, needle=needle, top=0)


def _open(view: View) -> KeyAction:
    """Open the number that was typed, else the first row."""
    rows = select_rows(view)
    numbers = [r.number for r in (view.round.rows if view.round else ())]
    number = int(view.typed) if view.typed else rows[0].number if rows else 0
    done = replace(view, typed="")
    return KeyAction(done, "open", number) if number in numbers else KeyAction(done)


def _scroll(view: View, key: str, page: int) -> View:
    step = _LINES.get(key, {"page-up": -page, "page-down": page}.get(key, 0))
    top = 0 if key == "top" else 1_000_000 if key == "bottom" else view.top + step
    return replace(view, top=max(0, top))
