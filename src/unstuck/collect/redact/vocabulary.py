"""The words that redaction keeps: the program's own vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Words, words with numbers in them (`ext4`, `x86`), and names of groups, drivers and files
# (`rbd.csi.ceph.com`).
_WORD = re.compile(r"[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*")
_LONGEST_MIXED = 12
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def words_of(text: str) -> set[str]:
    """Return the words of a text, in small letters: of two letters and more, with numbers in them, joined
    by dots.
    """
    words = set[str]()
    for found in _WORD.finditer(text):
        joined = found[0].lower()
        # With a group its domain is known, too.
        while "." in joined:
            words.add(joined)
            joined = joined.partition(".")[2]
        for run in re.findall(r"[a-z0-9]+", found[0].lower()):
            if run.isalpha():
                words.add(run)
            elif run[0].isalpha() and len(run) <= _LONGEST_MIXED:
                words.add(run)
                words.update(re.findall(r"[a-z]{3,}", run))
    return words


class Vocabulary:
    """known: in small letters, as `words_of` has them."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = frozenset(known)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word.lower() in self._known

    def knows(self, word: str) -> bool:
        """Tell whether a word of letters is known, or composed of known words: `KubeletHasSufficientMemory`.
        One letter reveals nothing.
        """
        return (len(word) < 2 and word.isascii()) or word in self or self._is_made_of_known(word)

    def _is_made_of_known(self, word: str) -> bool:
        if word.islower() or not (word.isalpha() and word.isascii()):
            return False
        parts = _PARTS.findall(word)
        # Random letters split into parts of one or two letters, most of which are a word of some language.
        short = sum(len(part) for part in parts if len(part) < 3)
        return short * 4 <= len(word) and all(len(part) < 2 or part in self for part in parts)
