"""Keys typed during a scan."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from unstuck.facts.record import Record, record
from unstuck.render.watching import View, opened_with, select_rows

_NAMED = {
    "\x1b[A": "up",
    "\x1bOA": "up",
    "\x1b[B": "down",
    "\x1bOB": "down",
    "\x1b[5~": "page-up",
    "\x1b[6~": "page-down",
    "\x1b[H": "top",
    "\x1b[F": "bottom",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "back",
    "\x08": "back",
    "\x1b": "escape",
    " ": "page-down",
    "\x0c": "redraw",
}
_KEY = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1bO[A-Za-z]|.", re.DOTALL)
_LINES = {"up": -1, "k": -1, "down": 1, "j": 1}
LONGEST = 60


class KeyDecoder:
    """Bytes become keys; what is half a character waits for its end."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, data: bytes) -> Iterator[str]:
        """Yield single characters and the names of other keys; an unknown sequence yields nothing."""
        for found in _KEY.findall(self._decoder.decode(data)):
            if found in _NAMED:
                yield _NAMED[found]
            elif len(found) == 1 and found.isprintable():
                yield found


@record()
class KeyAction(Record):
    """What follows from a key. does: what the view itself cannot. number: which incident."""

    view: View
    does: Literal["", "quit", "open"] = ""
    number: int = 0


def pressed(view: View, key: str, page: int) -> KeyAction:
    """Return what follows from a key. page: lines of the screen."""
    if view.typed.startswith("/"):
        return KeyAction(_filtering(view, key))
    if view.opened is not None:
        return KeyAction(opened_with(view, None) if key in ("q", "escape", "enter", "back") else _scrolled(view, key, page))
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
    return KeyAction(_scrolled(view, key, page))


def _filtering(view: View, key: str) -> View:
    """Let the rows follow each character."""
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


def _scrolled(view: View, key: str, page: int) -> View:
    step = _LINES.get(key, {"page-up": -page, "page-down": page}.get(key, 0))
    top = 0 if key == "top" else 1_000_000 if key == "bottom" else view.top + step
    return replace(view, top=max(0, top))
