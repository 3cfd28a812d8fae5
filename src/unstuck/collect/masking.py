"""What looks like a secret in a stranger's line is masked before the line is kept. In time linear in the line, whatever it holds."""

from __future__ import annotations

import re

from unstuck.facts.regex import regex

# Possessive quantifiers and starts at a word's beginning only: a line of `auth` five hundred times over must not take a minute.
_NAME = regex(r"(?<![\w.-])(?P<name>[\w.-]++)[\"']?\s*+[=:]\s*+[\"']?")
_SECRET = regex(r"passw|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|auth", re.IGNORECASE)
_VALUE = regex(r"[^\s\"',;&]{3,}+")
# A password may hold an `@`, too: the last one before the host's end counts.
_ADDRESS = regex(r"(://[^\s:/@]*+:)([^\s/]+)(@)")
_BEARER = regex(r"\b((?:bearer|basic)\s++)([\w.~+/=-]{8,}+)", re.IGNORECASE)
_SHAPES = regex(
    r"(?<![\w-])eyJ[\w-]{8,}+\.[\w-]{8,}+\.[\w-]*+|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{20,}+|\bxox[abprs]-[\w-]{10,}+|^[A-Za-z0-9+/]{60,}+={0,2}$"
)


def masked(line: str) -> str:
    """The line with `***` for values that look like secrets; everything else, control characters included, stays as it is.

    Masked are: the value after a name that sounds like a secret, credentials in an address, bearer tokens, JWTs, keys of clouds.
    """
    line = _ADDRESS.sub(r"\1***\3", line)
    line = _BEARER.sub(r"\1***", line)
    return _SHAPES.sub("***", _without_named(line))


def _without_named(line: str) -> str:
    out, kept = list[str](), 0
    for found in _NAME.finditer(line):
        if found.end() <= kept or not _SECRET.search(found["name"]):
            continue
        value = _VALUE.match(line, max(found.end(), kept))
        if value:
            out += [line[kept : value.start()], "***"]
            kept = value.end()
    return "".join([*out, line[kept:]])
