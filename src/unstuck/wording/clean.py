"""A message made fit to be matched: bounded, without control characters, with the quoting of nested Go errors undone."""

from __future__ import annotations

from unstuck.facts.regex import regex

LIMIT = 16 * 1024
_ESCAPED_QUOTE = regex(r'\\{1,16}"')
_ESCAPED_NEWLINE = regex(r"\\{1,16}n(?![a-z0-9])")
_ANSI = regex(r"\x1b\[[0-9;?]{0,16}[ -/]?[@-~]|\x1b\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)")
# C0 and C1 controls (tab and newline stay), bidi and zero-width marks: none may reach a terminal or split a word unseen.
_CONTROL = regex(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def clean(text: str) -> str:
    r"""Return the text cut to LIMIT characters, ANSI sequences removed, other control characters as spaces, `\\"` as `"`."""
    text = text[:LIMIT]
    if not text.isprintable():
        text = _CONTROL.sub(" ", _ANSI.sub("", text.replace("\r\n", "\n")))
    if "\\" in text:
        text = _ESCAPED_NEWLINE.sub("\n", _ESCAPED_QUOTE.sub('"', text))
    return text
