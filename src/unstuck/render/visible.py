"""What comes from outside, made harmless for a terminal: every string that any renderer prints goes through `visible`.

Names, messages and log lines come from strangers; a control character in one of them could move the cursor, change the
window's title or turn the reading direction, so that the line shows something else than what was seen.
"""

from __future__ import annotations

import unicodedata

# Controls, format characters (bidi marks and overrides, zero-width, tags), surrogates, private use, not assigned, line ends.
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def hidden(char: str) -> bool:
    """Tell whether this character shows nothing by itself, or acts on a terminal or on the text around it."""
    return not (" " <= char <= "~") and unicodedata.category(char) in _HIDDEN


def escaped(char: str) -> str:
    r"""`\n`, `\x1b`, `\u202e` or `\U000e0041`, as most languages write it."""
    code = ord(char)
    return _SHORT.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def visible(text: str) -> str:
    """Return the same text with every hidden character escaped; a line end is hidden too: a value from outside stays on one line."""
    # Of what `hidden` names nothing is printable by Python's own tables, which hold no space but the usual one to be so either.
    if text.isprintable():
        return text
    return "".join(escaped(c) if hidden(c) else c for c in text)
