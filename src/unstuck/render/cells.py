"""Text in terminal cells: width, truncation and wrapping with support for Chinese, and styles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal
from unicodedata import combining, east_asian_width

from unstuck.facts.record import Record, record
from unstuck.render.visible import visible

Style = Literal["", "bad", "good", "warn", "dim", "bold", "command"]
_SGR: dict[str, str] = {"bad": "31", "good": "32", "warn": "33", "dim": "2", "bold": "1", "command": "36"}
# The wide characters in most answers.
_WIDE = "，。；：、（）！？《》「」"
# A partial word up to this length is cut out with the middle of the text.
_PART = 16
# Closing punctuation, which may not begin a line.
_CLOSING = "，。；：、）】」』！？》"


@cache
def _cell(char: str) -> int:
    # The tables of wcwidth take 25 ms to load, and most answers contain only these characters.
    if char < "\u0300" or char in "✓✗…·●◐○⏎→↳—–“”‘’×≥≤":
        return 1
    if "\u4e00" <= char <= "\u9fff" or char in _WIDE:
        return 2
    try:
        from wcwidth import wcwidth
    except ImportError:
        # The one-file collector has only the standard library.
        return 0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1
    return max(0, wcwidth(char))


def count_cells(text: str) -> int:
    """Return how many cells the text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_cell, text))


def pad(text: str, width: int) -> str:
    """Fill with spaces up to this many cells."""
    return text + " " * max(0, width - count_cells(text))


def cut(text: str, width: int) -> str:
    """Return the text truncated to this many cells, with `…` for the omitted end."""
    if count_cells(text) <= width:
        return text
    out, used = [], 0
    for char in text:
        if used + _cell(char) > width - 1:
            break
        out.append(char)
        used += _cell(char)
    return "".join(out) + "…"


def cut_front(text: str, width: int) -> str:
    """Return the text truncated to this many cells, with `…` for the omitted beginning; the cut is moved to a
    nearby `/`, since the end of a path is its most useful part.
    """
    if count_cells(text) <= width:
        return text
    tail = _end(text, width - 1)
    slash = tail.find("/")
    return "…" + (tail[slash:] if 0 <= slash < len(tail) // 2 else tail)


def cut_middle(text: str, width: int) -> str:
    """Return the text truncated to this many cells, with `…` for the omitted middle: messages begin with the
    failure and end with its reason.
    """
    if count_cells(text) <= width:
        return text
    head = cut(text, width // 2).removesuffix("…")
    whole, blank, part = head.rpartition(" ")
    # A cut word gets the mark, or it would look complete.
    head = f"{whole} " if blank and len(part) < _PART else head
    tail = _end(text, width - count_cells(head) - 2)
    part, blank, whole = tail.partition(" ")
    return f"{head}…{f' {whole}' if blank and len(part) < _PART else tail}"


def _end(text: str, width: int) -> str:
    out, used = [], 0
    for char in reversed(text):
        if used + _cell(char) > width:
            break
        out.append(char)
        used += _cell(char)
    return "".join(reversed(out))


def wrap(text: str, width: int) -> list[str]:
    """Return lines of at most this many cells, broken at spaces and between Chinese characters; a longer word
    is broken if necessary.
    """
    lines: list[str] = []
    line_, used = "", 0
    for unit in _render_units(text):
        if used + count_cells(unit) > width and line_.strip():
            lines.append(line_.rstrip())
            line_, used = "", 0
        rest = unit if used else unit.lstrip(" ")
        while count_cells(rest) > width:
            head = _head(rest, width)
            lines.append(head)
            rest = rest[len(head) :]
        line_, used = line_ + rest, used + count_cells(rest)
    if line_.strip() or not lines:
        lines.append(line_.rstrip())
    return lines


def join_parts(parts: Sequence[str], dot: str, width: int, first: int | None = None) -> list[str]:
    """Join the parts into lines, broken between parts; only a part longer than a line is broken itself.
    first: cells of the first line.
    """
    out: list[str] = []
    room = width if first is None else first
    for part in parts:
        if out and count_cells(out[-1] + dot + part) <= room:
            out[-1] += dot + part
            continue
        room = room if not out and count_cells(part) <= room else width
        out += wrap(part, room)
    return out


def _head(text: str, width: int) -> str:
    used = 0
    for i, char in enumerate(text):
        used += _cell(char)
        if used > width and i:
            return text[:i]
    return text


def _render_units(text: str) -> list[str]:
    """Split text into words, each with its leading space, and single wide characters."""
    out: list[str] = []
    for char in text:
        wide = _cell(char) == 2
        if (
            not out
            or char == " "
            or (wide and char not in _CLOSING)
            or (not wide and char not in _CLOSING and _cell(out[-1][-1]) == 2)
        ):
            out.append(char)
        else:
            out[-1] += char
    return _join_spaces(out)


def _join_spaces(units: Iterable[str]) -> list[str]:
    out: list[str] = []
    for unit in units:
        if out and not out[-1].strip():
            out[-1] += unit
        else:
            out.append(unit)
    return out


@record()
class Span(Record):
    """A piece of a line in one style. Its text is escaped on creation, so that every line is harmless."""

    text: str
    style: Style = ""

    def __post_init__(self) -> None:
        if not (self.text.isascii() and self.text.isprintable()):
            object.__setattr__(self, "text", visible(self.text))


Line = tuple[Span, ...]
# actions/runner, ActionCommand.cs: blanks before it are skipped; the old form `##[name]` may appear anywhere.
_COMMAND = re.compile(r"^(?P<before>\s*):(?=:[A-Za-z-]+[^:]*::)|#(?=#\[)")


def line(*parts: Span | str) -> Line:
    """Return one line from spans and plain strings."""
    return tuple([p if isinstance(p, Span) else Span(p) for p in parts])


def paint(lines: Sequence[Line], colour: bool) -> str:
    """Return the printable lines with their line ends; terminal escapes are added only here, and only for
    colour.
    """
    return "".join(_defuse(_paint_span(one, colour)).rstrip() + "\n" for one in lines)


def _defuse(text: str) -> str:
    """Defuse a line that resembles a command to a CI runner, such as GitHub's `::name::` at its beginning."""
    return (
        _COMMAND.sub(lambda m: f"{m['before'] or ''}\\x{ord(m[0][-1]):02x}", text)
        if "::" in text or "##[" in text
        else text
    )


def _paint_span(one: Line, colour: bool) -> str:
    if not colour:
        return "".join([s.text for s in one])
    return "".join([f"\x1b[{_SGR[s.style]}m{s.text}\x1b[0m" if s.style and s.text else s.text for s in one])
