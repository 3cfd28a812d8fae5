"""The program that prints its usage below an unknown option: not always the intended program.

Sources: Go flag.go (`Usage of PROGRAM:`), spf13/cobra command.go, Python argparse.py (`usage: PROGRAM`).
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.facts.regex import regex

_OF = regex(r"^Usage of (?P<program>[\w./-]{1,200}):$")
_SYNOPSIS = regex(r"^[Uu]sage:\s+(?P<program>[\w./-]{1,200})(?:\s|$)")
_HEAD = regex(r"^(?:Usage|USAGE):\s*$")
_BELOW_HEAD = regex(r"^\s+(?P<program>[\w./-]{1,200})(?:\s|$)")


def find_usage(lines: Sequence[str]) -> str:
    """Return the program whose usage is printed, "" if none is."""
    for n, line in enumerate(lines):
        if match := _OF.match(line.strip()) or _SYNOPSIS.match(line.strip()):
            return match["program"]
        below = lines[n + 1] if n + 1 < len(lines) else ""
        if _HEAD.match(line.strip()) and (match := _BELOW_HEAD.match(below)):
            return match["program"]
    return ""
