"""Combines the answers about names in one text: one lookup failed, and another shows that it failed through
its tool.

Sources: busybox networking/nslookup.c (since 1.29 it prints `*** Can't find NAME: No answer`, and asks for a
short name as it is or takes the wrong one of several answers), BIND bin/dig/nslookup.c (`Name:`, `Address:`),
dig's answer section, bin/dig/host.c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from unstuck.facts.aspects.pasted import ToldError
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

# An error that a single line cannot show.
MISLED: ProgramError = "lookup-misled"
_NAMED = regex(r"^Name:\s+(?P<name>[\w.-]{1,253})\.?$")
_ADDRESS = regex(r"^Address(?: \d+)?:\s+[0-9a-f.:]{2,45}(?:\s|$)")
_ONE_LINE = regex(
    r"^(?P<name>[\w.-]{1,253}?)\.?\s+(?:has (?:IPv6 )?address|(?:\d{1,10}\s+)?IN\s+A{1,4})"
    r"\s+[0-9a-f.:]{2,45}$"
)
_NO_ANSWER = regex(r"^\*\*\* Can't find (?P<name>[\w.-]{1,253}): No answer$")


def find_resolved(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the names that a name server gave an address for, in order."""
    names = [found["name"] for line in lines if (found := _ONE_LINE.match(line.strip()))]
    pairs = pairwise(lines)
    named = [
        found["name"]
        for line, below in pairs
        if (found := _NAMED.match(line.strip())) and _ADDRESS.match(below.strip())
    ]
    return tuple(dict.fromkeys([*names, *named]))


def blame_tool(told: ToldError, lines: Sequence[str]) -> ToldError:
    """Return a failed lookup as a failure of its tool, if the text shows that: the full name resolves, or
    busybox says no answer.
    """
    said = told.complaint
    if said.error != "name-unresolved" or not said.name:
        return told
    full = next(
        (name for name in find_resolved(lines) if name == said.name or name.startswith(f"{said.name}.")), ""
    )
    if full or any(_NO_ANSWER.match(line.strip()) for line in lines):
        return replace(told, complaint=replace(said, error=MISLED, resource=full))
    return told
