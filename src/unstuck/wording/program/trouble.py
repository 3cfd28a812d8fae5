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
    r"|\balarm (?:set|raised|is set|triggered)\b|\b(?:is|are|was|were|will be|been) blocked\b|\bread[- ]only mode\b"
    r"|\b(?:quota|limit|watermark|threshold)\b.{0,40}\b(?:exceeded|reached|hit)\b|\bno space left\b"
)
# `Disk free limit set to 50TB`: a value that a program was given.
_SET = regex(
    r"(?i)\b(?:set|limited|configured|capped) (?:to|at)\b.{0,20}?\d|[\w.]{4,60}\s?[=:]\s?\"?\d[\w.]*\"?\s*$"
)
_WORD = regex(r"[A-Za-z]{4,}")
_ALIKE = 2
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


def list_settings(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a log that tell a value, the latest first."""
    return tuple(text for one in reversed(lines) if _SET.search(text := one.strip()[:_LONGEST]))


def choose_setting(line: str, settings: Sequence[str]) -> str:
    """Return the first of the settings that is told in the words of this line; "" without one."""
    words = _list_words(line)
    return next((s for s in settings if s != line and len(words & _list_words(s)) >= _ALIKE), "")


def _list_words(line: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(line))


def _reports_trouble(line: str) -> bool:
    if _CALM.search(line) or _NO_TROUBLE.search(line):
        return False
    return _TROUBLE.search(line) is not None or read_complaint(line) is not None
