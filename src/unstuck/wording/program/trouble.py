"""Chooses from the log of a program that runs on, or has ended well, the lines that report trouble."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.facts.regex import regex
from unstuck.wording.program.read import read_complaint

# The lines kept from the beginning, where a program tells what it leaves out, and from the end.
_EACH = 8
_LONGEST = 600
_CALM = regex(
    r"\b(?:INFO|DEBUG|TRACE|NOTICE)\b|\blevel=\"?(?:info|debug|trace)|\"(?:level|severity)\": ?\"(?:info|debug|trace)"
    r"|\[(?:info|debug|notice|trace)\]|^(?:\S{20,40} )?I\d{4} \d\d:"
)
_TROUBLE = regex(
    r"(?i)\berr(?:or)?s?\b(?!\s*[=:]\s*(?:0|nil|null|none|\"\"|false)\b)|\b(?:fatal|panic|critical|emerg|severe)\b|exception\b"
    r"|\bfail(?:s|ed|ure|ing)?\b(?!\s*[=:]\s*0\b)|\bcould not\b|\bcan(?:no|')t\b|\bunable to\b|\b(?:refus|reject|deni)(?:ed|es|al)\b"
    r"|[a-z](?:Error|Exception)\b|\bnot (?:found|allowed|permitted|written|listening|available|supported|offered)\b"
)
_NO_TROUBLE = regex(r"(?i)\b(?:no|0|without) (?:errors?|failures?)\b")
_CHANGES = regex(r"[0-9a-f]*\d[0-9a-f]*")


def find_trouble_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines that report trouble, each sort once, in their order: the first few and the last few.

    lines: of a log, secrets masked.
    """
    kept: dict[str, str] = {}
    for line in lines:
        text = line.strip()[:_LONGEST]
        if text and _reports_trouble(text):
            kept.setdefault(_CHANGES.sub("0", text), text)
    found = list(kept.values())
    return tuple(found if len(found) <= 2 * _EACH else (*found[:_EACH], *found[-_EACH:]))


def _reports_trouble(line: str) -> bool:
    if _CALM.search(line) or _NO_TROUBLE.search(line):
        return False
    return _TROUBLE.search(line) is not None or read_complaint(line) is not None
