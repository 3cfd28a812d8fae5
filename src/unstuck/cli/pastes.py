"""Texts pasted into the terminal, one after the other."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from unstuck.cli import terminal
from unstuck.cli.lang import Lang
from unstuck.facts.text import Messages
from unstuck.render.cells import wrap
from unstuck.render.words import in_lang

say = Messages(__name__)

FIRST = say("Paste what kubectl or the node printed, then press Ctrl-D on a line of its own.")
NEXT = say("Paste the next output, then Ctrl-D: all of it is answered together. q ends.")
LARGEST = 1 << 28
_LEAVE = (b"q", b"quit", b"exit")


def pastes(lang: Lang) -> Iterator[bytes]:
    """Yield each paste, until an empty one or `q`."""
    said = FIRST
    while True:
        sys.stderr.write("".join(f"{line}\n" for line in wrap(in_lang(said, lang), terminal.width())))
        sys.stderr.flush()
        text = _until_end()
        if not text.strip() or text.strip() in _LEAVE:
            return
        yield text
        said = NEXT


def _until_end() -> bytes:
    """Read to the end of input, which a terminal may signal repeatedly; a line `q` or a closed terminal ends
    the input at once.
    """
    parts, size = list[bytes](), 0
    while size < LARGEST and (part := _read()):
        parts.append(part)
        size += len(part)
        if len(parts) == 1 and part.strip() in _LEAVE:
            break
    return b"".join(parts)


def _read() -> bytes:
    try:
        return os.read(sys.stdin.fileno(), 65536)
    except OSError:
        return b""
