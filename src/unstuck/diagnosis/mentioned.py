"""What a line of any program names that somebody can look at: a path, an address, a process, a volume, an image. Pure.

A line is quoted because nothing here knows the fault that it tells of; its names are good for a look all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from unstuck.facts.record import Record, record
from unstuck.facts.regex import POD_UID, regex
from unstuck.facts.vocabulary.failures import ErrorWord

# A quote is short; of a text so much is looked at, line by line.
LONGEST = 4000


# What a line of any program tells of the network: coarser than a failing call's word, for the look is the same.
MentionedWord = Literal["unresolved", "unreachable"]
MentionedErrorWord = ErrorWord | MentionedWord | Literal[""]


@record()
class Mentioned(Record):
    """What a line names. error: how it failed, in one word, "" where it does not say. words: the line itself.

    host: an address or a name, with its port where that is told. uid: of a Pod. program: which the kernel's audit names.
    """

    words: str = ""
    error: MentionedErrorWord = ""
    path: str | None = None
    host: str | None = None
    pid: int | None = None
    uid: str | None = None
    volume: str | None = None
    image: str | None = None
    program: str | None = None


_ERRORS: tuple[tuple[ErrorWord | MentionedWord, re.Pattern[str]], ...] = (
    ("ENOENT", regex(r"no such file or directory", re.I)),
    ("EACCES", regex(r"permission denied", re.I)),
    ("EPERM", regex(r"operation not permitted", re.I)),
    ("EBUSY", regex(r"resource busy|mount point busy|already mounted", re.I)),
    ("ENOSPC", regex(r"no space left|disk quota exceeded", re.I)),
    ("EROFS", regex(r"read-only file system", re.I)),
    ("ESTALE", regex(r"stale (?:nfs )?file handle", re.I)),
    ("ENOTCONN", regex(r"endpoint is not connected", re.I)),
    ("EIO", regex(r"input/output error|i/o error", re.I)),
    ("ENOTEMPTY", regex(r"directory not empty", re.I)),
    ("ENOTDIR", regex(r"not a directory", re.I)),
    ("unresolved", regex(r"no such host|server misbehaving|could not resolve", re.I)),
    ("unreachable", regex(r"no route to host|network is unreachable|i/o timeout|connection (?:refused|reset)|connection timed out", re.I)),
)
# Two names at least: `/` and `/v2` are looked at by nobody. A word behind `:` is no part of it, nor is an address of the network.
_PATH = regex(r"(?<![\w/.:@~-])/[A-Za-z0-9._~+@=-]{1,255}(?:/[A-Za-z0-9._~+@=-]{1,255}){1,30}")
_SOURCE = regex(r"\.(?:go|py|java|c|h|rs|js)(?::\d{1,6})?$")
_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?"
_HOST = regex(rf"(?:dial tcp (?:lookup )?|connection to |connect to (?:host )?|https?://|lookup )(?P<host>{_NAME}(?::\d{{1,5}})?)")
_HUNG = regex(r"task \S{1,64}:(?P<pid>\d{1,9}) blocked for more than")
_VOLUME = regex(rf"\b(?P<volume>pvc-{POD_UID})\b")
_OF_A_POD = regex(rf"/pods/(?P<uid>{POD_UID})(?=/|\b)|[Pp]od(?:UID|Name)?[ =:]\\*\"?(?P<said>{POD_UID})\b")
_IMAGE = regex(
    r"(?:\b[Ii]mage:? |\b[Pp]ull(?:ing)? (?:the )?(?:image )?)\\*\"?"
    r"(?P<image>[a-z0-9][a-z0-9.-]{0,200}(?::\d{1,5})?/[a-z0-9][A-Za-z0-9._/-]{0,300}:[\w.-]{1,128})"
)
_AUDIT = regex(r"avc: +denied .{1,300}?\bcomm=\"(?P<program>[\w.-]{1,64})\"")
_SEVERE = (
    regex(r"^F\d{4} \d\d:|\bpanic: |level=(?:fatal|panic)\b|\bFATAL\b|avc: +denied"),
    regex(r"^E\d{4} \d\d:|level=error\b|\b[Ee]rror\b|\bERROR\b|\bfailed\b|\b[Cc]annot\b|\b[Cc]ould not\b"),
)


def names_in(line: str) -> Mentioned:
    """Return what one line or quote names."""
    line = line[:LONGEST]
    error, at = _error_in(line)
    host, image = _HOST.search(line), _IMAGE.search(line)
    hung, audit = _HUNG.search(line), _AUDIT.search(line)
    volume = _VOLUME.search(line)
    return Mentioned(
        words=line,
        error=error,
        path=_path(line, at),
        host=host["host"] if host else None,
        pid=int(hung["pid"]) if hung else None,
        uid=_uid(line),
        volume=volume["volume"] if volume else None,
        image=image["image"] if image else None,
        program=audit["program"] if audit else None,
    )


def telling(lines: Sequence[str]) -> list[str]:
    """Return the lines that tell of a failure: after what ended a program what names an error, and of equals the last one first."""
    fatal, failing = ([line for line in reversed(lines) if pattern.search(line[:LONGEST])] for pattern in _SEVERE)
    named = [line for line in reversed(lines) if _error_in(line[:LONGEST])[0]]
    return list(dict.fromkeys((*fatal, *named, *failing)))


def _error_in(line: str) -> tuple[MentionedErrorWord, int]:
    """Return the word of the error that stands last, and where it begins; "" where there is none."""
    found: list[tuple[int, MentionedErrorWord]] = [(m.start(), word) for word, pattern in _ERRORS for m in pattern.finditer(line)]
    at, word = max(found, default=(len(line), ""))
    return word, at


def _path(line: str, before: int) -> str | None:
    """Return the path that stands nearest before an error's words, else the last one."""
    found = [m for m in _PATH.finditer(line) if not _SOURCE.search(m[0])]
    nearest = [m for m in found if m.end() <= before] or found
    return nearest[-1][0].rstrip(".:=@") if nearest else None


def _uid(line: str) -> str | None:
    found = [m["uid"] or m["said"] for m in _OF_A_POD.finditer(line)]
    return found[-1] if found else None
