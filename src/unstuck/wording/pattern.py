"""The records of message patterns. An area's module (`mounts`, `image`, …) holds its `CALLS` and `ERRORS`.

A Go error reads from the outside in: `wrapper: wrapper: innermost`. So two kinds of patterns meet in `match`:
a `Call` identifies the operation, an `Error` the innermost failure; each kind grows without the other.
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
    """A message and its expected reading, as `operation error field=value …` with fields in alphabetical order.

    An `object` is written `Kind/name` or `Kind/namespace/name`. "" for a message that must not match.
    """

    text: str
    gives: str


def words(pattern: str) -> re.Pattern[str]:
    """Return a pattern's regex, from its text. Case does not matter, `.` stays on its line."""
    return regex(pattern, re.IGNORECASE)


@record()
class Call(Record):
    """The operation that was tried. regex: named groups are fields of `Failure` (`container`, `path`, `key`, `host`, `volume`), or `image`, or `kind`, `ns`, `name`.

    A second group for the same field in another branch is written `container_2`.

    need: lower-case literals, one of which every match contains; looked for before the regex is tried.
    bare: the error if the words after the call are unknown; None: the call alone yields nothing.
    weak: a step of several calls (starting a task, asking a registry): inside another call it is part of that call.
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
    """The innermost failure. regex, need: as for `Call`. error: "" if these words mean that nothing failed
    (given up, already under way).

    operation: the operation if the message holds no Call; None: without a Call the error yields nothing.
    within: operations in which these words have this meaning; empty: all. takes_over: its own operation overrides a Call's.
    kind: the kind of the object in group `name`, if there is no group `kind`.
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
