"""The parts of an area: named checks, each a command that ends with status 0 or not and prints its counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

# Closing lines of test runners and our own scripts: `12 passed, 1 failed in 3 s`, `9 agree, 0 differ`, `1034
# s  in all`.
_CLOSING = re.compile(
    r"^.*\b\d+ (?:[a-z]+ ){0,3}?(?:passed|failed|agree|looked at|in all)\b.*$|^ *\d+ s +in all$", re.MULTILINE
)


def find_closing_lines(output: str) -> str:
    """Join the last few lines of an output that have counts, on one line."""
    return "; ".join(line.strip(" =") for line in _CLOSING.findall(output)[-4:])


@dataclass(frozen=True)
class Check:
    """One check. argv: the command, run in a fresh clone of HEAD; `{seed}` in it is the run's seed.

    beside: a shell command to run meanwhile, "" for none. counts: picks the part of the output for the page.
    needs: required programs, without which the check would skip its subject; each is in the Debian package of
    the same name.
    """

    name: str
    argv: tuple[str, ...]
    beside: str = ""
    counts: Callable[[str], str] = find_closing_lines
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Area:
    """An area of the product. name: the name of its page. promises: one sentence on what the checks show."""

    name: str
    title: str
    promises: str
    checks: tuple[Check, ...]
