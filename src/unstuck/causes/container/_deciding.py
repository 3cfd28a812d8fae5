"""Find the lines at the end of a log that give the reason for the program's end."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from unstuck.diagnosis.gravity import FAILING
from unstuck.facts.derive.ends import is_closing
from unstuck.facts.regex import regex

_DIGITS = regex(r"[\d:.,TZ+-]+")
# So far above the last line others are looked at.
_ABOVE_CLOSING = 6


def find_deciding_line(lines: Sequence[str]) -> str:
    """Return the last line; if that is a hint, usage or a bare end, return the nearest line above that
    reports a failure, or else is more informative.
    """
    if not lines or not is_closing(lines[-1]):
        return lines[-1] if lines else ""
    above = [line for line in reversed(lines[-_ABOVE_CLOSING:]) if not is_closing(line)]
    return next((line for line in above if FAILING.search(line)), above[0] if above else lines[-1])


def find_first_error(lines: Sequence[str], last: str) -> str:
    """Return the first of the errors at the end of a log: the later ones mostly follow from it. "" if there
    is only one.

    Lines with the same words are retries; the last one is as informative.
    """
    run = list(
        takewhile(lambda line: FAILING.search(line) or is_closing(line), reversed(lines[-_ABOVE_CLOSING:]))
    )
    errors = [line for line in reversed(run) if not is_closing(line)]
    first = errors[0] if errors else ""
    return first if len(errors) > 1 and _only_words(first) != _only_words(last) else ""


def _only_words(line: str) -> str:
    return _DIGITS.sub("", line)
