"""Ages as kubectl prints them (`5m12s`, `2d3h`, `<unknown>`), and its times:
k8s.io/apimachinery/pkg/util/duration/duration.go.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from unstuck.facts.regex import regex

AGE = r"(?:(?:\d{1,6}[smhdy]){1,3}|<unknown>|<invalid>|<none>)"
_PART = regex(r"(\d{1,6})([smhdy])")
# Seconds of each.
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "y": 365 * 86400}


def parse_age(age: str) -> int | None:
    """Convert an age to seconds (`5m12s` → 312); None for `<unknown>` and for any other text."""
    if not re.fullmatch(r"(?:\d{1,6}[smhdy]){1,3}", age):
        return None
    return sum(int(n) * UNITS[u] for n, u in _PART.findall(age))


def subtract_age(age: str, now: datetime) -> datetime | None:
    """Return the time one age before `now`; None for an unknown age, and for one beyond the calendar."""
    seconds = parse_age(age)
    try:
        return now - timedelta(seconds=seconds) if seconds is not None else None
    except OverflowError:
        return None


def parse_rfc1123(text: str) -> datetime | None:
    """Parse a time as `describe` prints it (`Sat, 21 Nov 2026 00:00:01 +0000`), and return it in UTC; None
    for any other text.
    """
    if not re.match(r"[A-Z][a-z]{2}, \d{2} ", text):
        return None
    from email.utils import parsedate_to_datetime  # it brings half of the package with it

    try:
        at = parsedate_to_datetime(text)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
