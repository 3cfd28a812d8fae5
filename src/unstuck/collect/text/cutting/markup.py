"""Undoes the changes that a web page, a chat or an input method made to the characters of a paste, and to
its margin.
"""

from __future__ import annotations

import html

from unstuck.facts.regex import regex
from unstuck.wording.klog import is_header

_ENTITY = regex(r"&(?:quot|apos|lt|gt|amp|nbsp|#\d{1,5}|#x[0-9a-fA-F]{1,5});")
_TAG = regex(r"</?(?:pre|code|span|div|p|br|b|i|em|strong|td|tr|li|blockquote|samp|kbd)(?: [^<>]{0,200})?/?>")
# An input method for Chinese leaves the blank out that its wide signs have within them.
_WIDE = {
    "：": ": ",
    "，": ", ",
    "；": "; ",
    "！": "! ",
    "？": "? ",
    "）": ")",
    "】": "]",
    "【": "[",
    "。": ". ",
}
_OPENING = regex(r"(?<=[^\s\(\[])（")
_SPACED = regex(r"(?<=[:,;!?.]) (?= )")


def undo_markup(text: str) -> str:
    """Undo HTML entities and tags and full-width punctuation in a short text, line by line, so no line
    moves.
    """
    if "&" in text and _ENTITY.search(text):
        text = html.unescape(_TAG.sub("", text))
    if not text.isascii() and any(sign in text for sign in "：，；（）"):
        text = "\n".join(line if line.isascii() else _narrow_signs(line) for line in text.split("\n"))
    return _remove_margin(text)


def _remove_margin(text: str) -> str:
    """Return a log that a page shows indented as a whole without that margin; other texts unchanged,
    because blanks matter there.
    """
    if not text.startswith((" ", "\t", "\n", "\r")):
        return text
    lines = text.split("\n")
    full = [line for line in lines if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in full), default=0)
    return "\n".join(line[margin:] for line in lines) if margin and is_header(full[0][margin:]) else text


def _narrow_signs(line: str) -> str:
    if not any(sign in line for sign in "：，；（）"):
        return line
    line = _OPENING.sub(" (", line).replace("（", "(")
    for wide, narrow in _WIDE.items():
        line = line.replace(wide, narrow)
    return _SPACED.sub("", line)
