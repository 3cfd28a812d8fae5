"""The effect of a key on the screen of `scan --watch`."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from unstuck.facts.record import Record, record
from unstuck.render.watching import View, lay_over, select_rows

_LINES = {"up": -1, "k": -1, "down": 1, "j": 1}
LONGEST = 60


@record()
class KeyAction(Record):
    """The result of a keystroke. effect: an action outside the view. number: the incident to open."""

    view: View
    effect: Literal["", "quit", "open"] = ""
    number: int = 0


def act_on_key(view: View, key: str, page: int) -> KeyAction:
    """Return the result of a keystroke. page: the number of screen lines in a page."""
    if view.input.startswith("/"):
        return KeyAction(_edit_filter(view, key))
    if view.overlay is not None:
        return KeyAction(
            lay_over(view, None) if key in ("q", "escape", "enter", "back") else _scroll(view, key, page)
        )
    if key == "q":
        return KeyAction(view, "quit")
    if key == "enter":
        return _open(view)
    if key.isdecimal() and key.isascii():
        return KeyAction(replace(view, input=(view.input + key)[-6:]))
    if key == "back":
        return KeyAction(replace(view, input=view.input[:-1]))
    if key == "escape":
        return KeyAction(replace(view, input="", filter="", top=0))
    if key == "/":
        return KeyAction(replace(view, input="/" + view.filter))
    if key == "m":
        return KeyAction(replace(view, members=not view.members, input="", top=0))
    return KeyAction(_scroll(view, key, page))


def _edit_filter(view: View, key: str) -> View:
    """Apply the filter after each typed character."""
    if key == "enter":
        return replace(view, input="")
    if key == "escape":
        return replace(view, input="", filter="", top=0)
    more = " " if key == "page-down" else key if len(key) == 1 else ""
    needle = view.input[1:-1] if key == "back" else view.input[1:] + more
    if key == "back" and view.input == "/":
        return replace(view, input="", filter="")
    needle = needle[:LONGEST]
    return replace(view, input="/" + needle, filter=needle, top=0)


def _open(view: View) -> KeyAction:
    """Open the typed number, or else the first row."""
    rows = select_rows(view)
    numbers = [r.number for r in (view.round.rows if view.round else ())]
    number = int(view.input) if view.input else rows[0].number if rows else 0
    done = replace(view, input="")
    return KeyAction(done, "open", number) if number in numbers else KeyAction(done)


def _scroll(view: View, key: str, page: int) -> View:
    step = _LINES.get(key, {"page-up": -page, "page-down": page}.get(key, 0))
    top = 0 if key == "top" else 1_000_000 if key == "bottom" else view.top + step
    return replace(view, top=max(0, top))
