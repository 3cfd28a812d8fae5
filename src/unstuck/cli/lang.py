"""The language of a command line, from its options or the environment."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Literal

Lang = Literal["en", "zh"]
# A character present in every encoding of Chinese.
_HAN = chr(0x4E2D)


def language(environ: Mapping[str, str]) -> Lang:
    """Return the language by POSIX precedence of the variables: LC_ALL, LC_MESSAGES, LANG; Chinese of any
    region, else English.
    """
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def choose_readable(lang: Lang) -> Lang:
    """Return the language, or English if standard output cannot encode it."""
    try:
        _HAN.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return "en"
    return lang


def language_of(args: Sequence[str], environ: Mapping[str, str]) -> Lang:
    """Return the language of an unparsed or invalid command line: its last --lang, else the environment's."""
    lang = language(environ)
    for at, word in enumerate(args):
        if word == "--":
            break
        value = args[at + 1] if word == "--lang" and at + 1 < len(args) else word.removeprefix("--lang=")
        if value in ("en", "zh") and word.startswith("--lang"):
            lang = "zh" if value == "zh" else "en"
    return lang
