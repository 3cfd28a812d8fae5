"""Reads JSON files of other programs; never raises, for any content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from unstuck.collect.node.root import Root
from unstuck.facts.regex import regex

_CAP = 4 << 20
_ID = regex(r"^[0-9a-f]{64}$")
_TIME = regex(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)$")


def is_id(name: str) -> bool:
    """Tell whether this is a container's full id."""
    return _ID.match(name) is not None


def read_json(root: Root, path: str) -> Mapping[str, Any] | None:
    """Return the JSON object in a file; None if the file is missing, or does not parse."""
    return parse(root.data(path, _CAP))


def parse(data: bytes | None) -> Mapping[str, Any] | None:
    """Parse a JSON object; None for anything else."""
    try:
        doc = json.loads(data or b"")
    except (ValueError, RecursionError):
        return None
    return doc if isinstance(doc, dict) else None


def inner(doc: Mapping[str, Any] | None, *keys: str) -> Mapping[str, Any]:
    """Return the object below these keys; empty if there is none."""
    for key in keys:
        found = doc.get(key) if doc else None
        doc = found if isinstance(found, dict) else None
    return doc or {}


def string(doc: Mapping[str, Any], key: str) -> str:
    """Return a text, else ""."""
    found = doc.get(key)
    return found if isinstance(found, str) else ""


def integer(doc: Mapping[str, Any], key: str) -> int | None:
    """Return a whole number, else None."""
    found = doc.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def parse_instant(text: str) -> datetime | None:
    """Parse RFC 3339 as Go writes it, to the second; None for Go's zero time and for any other text."""
    found = _TIME.match(text)
    if not found or text.startswith("0001-"):
        return None
    try:
        return datetime.fromisoformat(found[1] + found[2].replace("Z", "+00:00")).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def from_nanoseconds(value: int | None) -> datetime | None:
    """Convert nanoseconds since 1970 to a time, to the second; None for 0 and below, and beyond the range
    of a clock.
    """
    if value is None or not 0 < value < 1 << 63:
        return None
    return datetime.fromtimestamp(value // 1_000_000_000, UTC)
