"""Features that identify a text's kind: patterns, JSON, prose. Pure.

No feature spans lines: a long text of one character must not take a minute.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress

from unstuck.facts.record import Record, record
from unstuck.facts.text import Text


@record()
class TextKind(Record):
    """id: for tests. what: the kind with its article; Chinese has a blank before Latin letters. useful: the
    better alternative, without a full stop.
    """

    id: str
    what: Text
    useful: Text


Feature = Callable[[str], bool]
KnownKind = tuple[TextKind, tuple[Feature, ...]]


def matches(pattern: str, least: int = 1) -> Feature:
    """Return a feature of texts with at least this many matching lines or places."""
    compiled = re.compile(pattern, re.MULTILINE)

    def feature(text: str) -> bool:
        return sum(1 for _, _ in zip(range(least), compiled.finditer(text), strict=False)) == least

    return feature


def lacks(pattern: str) -> Feature:
    """Return a feature of texts without a match."""
    found = matches(pattern)
    return lambda text: not found(text)


def is_json(text: str) -> bool:
    """Tell whether the text is one JSON object or list."""
    if text[:1] not in ("{", "["):
        return False
    with suppress(ValueError, RecursionError):
        json.loads(text)
        return True
    return False


def is_json_lines(text: str) -> bool:
    """Tell whether each of its first lines is JSON."""
    lines = [line for line in text.splitlines()[:50] if line.strip()][:20]
    return len(lines) > 1 and all(is_json(line) for line in lines)


def is_prose(text: str) -> bool:
    """Tell whether the text is human prose without output of a program."""
    text = text[:4000]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    english = re.findall(r"\b[a-z]+(?: [a-z,']+){4,40}[.?!](?:\s|$)", text)
    chinese = re.findall(r"[\u4e00-\u9fff，]{8,80}[。？！]", text)
    return (
        0 < len(lines) <= 40
        and bool(english or chinese)
        and not re.search(r"[{}<>|=\[\]]|\d\d:\d\d:\d\d", text)
    )


def make_kind(id_: str, what: Text, useful: Text, *features: Feature) -> KnownKind:
    """Return a kind with these features, all of them required."""
    return TextKind(id_, what, useful), features
