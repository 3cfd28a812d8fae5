"""Removes a terminal's frame (k9s and other full-screen programs) from copied text: `│` at both ends,
broken where a line was full.
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.collect.text.cutting.piece import Origin
from unstuck.facts.regex import regex

_BAR = "│"
_BORDER = regex(r"^\s*[┌┐└┘├┤─╭╮╰╯]{3}")


def unframe(text: str, origin: Origin) -> tuple[str, Origin]:
    """Return the text without its frame and with broken lines joined, and the origin of its lines; unchanged
    if fewer than two have a frame.

    A line that fills its frame to the last column continues in the next one.
    """
    # A selection from a long log is counted by its lines.
    if _BAR not in text or origin.times:
        return text, origin
    lines = text.split("\n")
    inner = [_strip_bars(line) for line in lines]
    width = max((len(one) for one in inner if one is not None), default=0)
    if sum(one is not None for one in inner) < 2:
        return text, origin
    out: list[str] = []
    numbers: list[int] = []
    full = False
    for n, (line, one) in enumerate(zip(lines, inner, strict=True), 1):
        if one is not None and full:
            out[-1] += one.rstrip()
        else:
            out.append(
                ""
                if one is None and _BORDER.match(line)
                else line.rstrip(f" {_BAR}")
                if one is None
                else one.rstrip()
            )
            numbers.append(origin.numbers[n - 1] if n <= len(origin.numbers) else n)
        full = one is not None and len(one) == width and one[-1:].strip() != ""
    return "\n".join(out), replace(origin, numbers=tuple(numbers))


def _strip_bars(line: str) -> str | None:
    """Return the text between the bars, without the blank beside each; None for a line without bars."""
    bare = line.strip()
    if len(bare) < 4 or not (bare.startswith(_BAR) and bare.endswith(_BAR)):
        return None
    return bare[1:-1].removeprefix(" ").removesuffix(" ")
