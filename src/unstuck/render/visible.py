"""Makes foreign strings harmless for a terminal: every printed string goes through `visible`.

Names, messages and log lines are foreign; a control character in one of them could move the cursor, change
the window's title or reverse the reading direction, so that the line would misrepresent its text.
"""

from __future__ import annotations

import re
import unicodedata

# Longer than any object's name; the two ends of a path are the most informative.
_LONG_WORD = re.compile(r"[^\s\u3000-\u303f\uff00-\uffef]{301,}")
_WORD_ENDS, _TEXT_ENDS = (150, 100), (1600, 300)
# Invisible letters, marks and symbols outside the categories below.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0") | {
    chr(c) for c in range(0xFE00, 0xFE10)
}
# Control and format characters (bidi marks and overrides, zero-width, tags), surrogates, private use,
# unassigned, line ends.
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def is_hidden(char: str) -> bool:
    """Tell whether this character is invisible, or affects the terminal or the surrounding text."""
    return not (" " <= char <= "~") and (char in _BLANK or unicodedata.category(char) in _HIDDEN)


def escape_char(char: str) -> str:
    r"""Return `\n`, `\x1b`, `\u202e` or `\U000e0041`, as in most programming languages."""
    code = ord(char)
    return _SHORT.get(char) or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )


def visible(text: str) -> str:
    """Return the text with every hidden character escaped, line ends included: a foreign value stays on one
    line.
    """
    # No hidden character is printable by Python's tables, which count the ordinary space as the only
    # printable one.
    if text.isprintable() and (text.isascii() or _BLANK.isdisjoint(text)):
        return text
    return "".join(escape_char(c) if is_hidden(c) else c for c in text)


def shorten_middle(text: str) -> str:
    """Cut the middle out of a long text: a name of 16 KiB would fill the screen, and its ends suffice."""
    short = _LONG_WORD.sub(lambda m: _ends(m[0], *_WORD_ENDS), text) if len(text) > sum(_WORD_ENDS) else text
    return _ends(short, *_TEXT_ENDS) if len(short) > 2 * sum(_TEXT_ENDS) else short


def _ends(text: str, head: int, tail: int) -> str:
    return f"{text[:head]}…{text[-tail:]}"
