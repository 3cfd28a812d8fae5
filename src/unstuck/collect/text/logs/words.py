"""Searches for the words of which every failure's message contains one, all at once: by `ahocorasick_rs`, if
installed.

Without it no message is skipped for lack of these words: the same answer, more slowly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial

from unstuck.collect.text.cutting.split import split_lines
from unstuck.facts.core import Ref, Source
from unstuck.wording.clean import clean
from unstuck.wording.klog import read_records
from unstuck.wording.match import NEEDED, find_failures

# Whose lines `logs` reads for more than failures; and the words that are no plain sign: it is taken out
# before anything is read, and may part a word.
_MORE = (b"_controller.go:", *(bytes([c]) for c in range(256) if not (32 <= c < 127 or c in b"\n\t")))

# Information records are read only with one of these: klog's Info hides failures (`Failed to delete cgroup
# paths`).
CALM_WORDS = ("ail", "err", "not healthy")

_UNKNOWN_POD, _NO_SOURCE, _ONCE = Ref("Pod", block="-"), Source(""), datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Finders:
    """Both give (which, begin, end), in lower case. in_bytes: also of signs that are none of a word.
    in_text: also of words in words.
    """

    in_bytes: Callable[[bytes], Sequence[tuple[int, int, int]]]
    in_text: Callable[[str], Sequence[tuple[int, int, int]]]


@cache
def make_finders() -> _Finders | None:
    """Return the finders of all these words; None if the library is not installed."""
    try:
        from ahocorasick_rs import AhoCorasick, BytesAhoCorasick  # a bare Python has none
    except ImportError:
        return None
    in_bytes = BytesAhoCorasick([*(word.encode() for word in NEEDED), *_MORE])
    return _Finders(
        in_bytes.find_matches_as_indexes,
        partial(AhoCorasick(NEEDED).find_matches_as_indexes, overlapping=True),
    )


def may_have_failure(lines: bytes) -> bool:
    """Tell whether a message may report a failure, judged by its words."""
    found = make_finders()
    return found is None or bool(found.in_bytes(lines.lower()))


def find_words(text: str) -> Collection[str] | None:
    """Return the words of NEEDED that a message holds, as `find_failures` takes them."""
    found = make_finders()
    return {NEEDED[which] for which, _, _ in found.in_text(clean(text).lower())} if found else None


def has_failure(lines: bytes) -> bool:
    """Tell whether a record reports a failure. lines: all of it."""
    told = read_records(split_lines(lines.decode("utf-8", "replace")), _ONCE)
    return any(
        find_failures(record.message, about=_UNKNOWN_POD, src=_NO_SOURCE, held=find_words(record.message))
        for record in told
    )
