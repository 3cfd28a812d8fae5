"""The language of a command line, by its words or by the environment."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Literal

Lang = Literal["en", "zh"]
# A character that every encoding of Chinese has.
_HAN = chr(0x4E2D)


def language(environ: Mapping[str, str]) -> Lang:
    """Return the language as POSIX ranks the variables: LC_ALL, LC_MESSAGES, LANG; Chinese of any region,
    else English.
    """
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def choose_readable(lang: Lang) -> Lang:
    """Return the language, or English where standard output has no characters for it."""
    try:
        _HAN.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return "en"
    return lang


def language_of(args: Sequence[str], environ: Mapping[str, str]) -> Lang:
    """Return the language of a command line that may not have been parsed yet, or cannot be: its last
    --lang, else the environment's.
    """
    lang = language(environ)
    for at, word in enumerate(args):
        if word == "--":
            break
        value = args[at + 1] if word == "--lang" and at + 1 < len(args) else word.removeprefix("--lang=")
        if value in ("en", "zh") and word.startswith("--lang"):
            lang = "zh" if value == "zh" else "en"
    return lang
