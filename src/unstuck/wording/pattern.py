"""The records of message patterns. An area's module (`mounts`, `image`, …) holds its `CALLS` and `ERRORS`.

A Go error reads from the outside in: `wrapper: wrapper: innermost`. So two kinds of patterns meet in `match`:
a `Call` says what was tried, an `Error` says how the innermost thing failed; each kind grows without the
other.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Literal

from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord, Operation

# The words mean that nothing failed.
Nothing = Literal[""]


class Rank(IntEnum):
    """Which error of one message decides where several match: a named thing before an errno, an errno before a waiter's time-out."""

    WAITER = 0
    ERRNO = 1
    NAMED = 2


@record()
class Seen(Record):
    """If the words come from. component and versions as `kubelet`, `1.5–1.34`; upstream: the file that prints
    them.
    """

    component: str
    versions: str
    upstream: str = ""


@record()
class Example(Record):
    """A message and what must be read from it, as `operation error field=value …` with fields in alphabetical order.

    An `object` is written `Kind/name` or `Kind/namespace/name`. "" for a message from which nothing may be read.
    """

    text: str
    gives: str


def words(pattern: str) -> re.Pattern[str]:
    """Return a pattern's regex, from its text. Case does not matter, `.` stays on its line."""
    return regex(pattern, re.IGNORECASE)


@record()
class Call(Record):
    """What was tried. regex: named groups are fields of `Failure` (`container`, `path`, `key`, `host`, `volume`), or `image`, or `kind`, `ns`, `name`.

    A second group for the same field in another branch is written `container_2`.

    need: lower-case literals, one of which every match contains; looked for before the regex is tried.
    bare: the error where the words after it are none that are known; None: then nothing is said.
    weak: how several calls are carried out (starting a task, asking a registry): within another call it is part of that one.
    """

    regex: re.Pattern[str]
    operation: Operation
    need: tuple[str, ...]
    seen: tuple[Seen, ...]
    examples: tuple[Example, ...]
    bare: ErrorWord | None = "other"
    weak: bool = False


@record()
class Error(Record):
    """How it failed. regex, need: as for `Call`. error: "" if these words mean that nothing failed (given up,
    already under way).

    operation: what was tried, where no Call of the message says it; None: without a Call this says nothing.
    within: operations in which these words mean this; empty: in all. takes_over: its own operation wins over a Call's.
    kind: of the object that group `name` names, where no group `kind` does.
    """

    regex: re.Pattern[str]
    error: ErrorWord | Nothing
    need: tuple[str, ...]
    seen: tuple[Seen, ...]
    examples: tuple[Example, ...]
    rank: Rank = Rank.ERRNO
    operation: Operation | None = None
    within: tuple[Operation, ...] = ()
    takes_over: bool = False
    kind: str = ""
