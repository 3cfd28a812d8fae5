"""Keys typed on a terminal, from its bytes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

_KEY_NAMES = {
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


class KeyDecoder:
    """Decodes bytes into keys; an incomplete character waits for its remaining bytes."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, data: bytes) -> Iterator[str]:
        """Yield single characters and the names of other keys; an unknown sequence yields nothing."""
        for found in _KEY.findall(self._decoder.decode(data)):
            if found in _KEY_NAMES:
                yield _KEY_NAMES[found]
            elif len(found) == 1 and found.isprintable():
                yield found
