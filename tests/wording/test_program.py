"""The last words of programs: every pattern's own examples, which line decides, and what claims nothing."""

from __future__ import annotations

import pytest

from unstuck.facts.aspects.pod import Complaint
from unstuck.wording.pattern import Example
from unstuck.wording.program.pattern import LastWord
from unstuck.wording.program.read import WORDS, complaint

EXAMPLES = [(w, e) for w in WORDS for e in w.examples]
FIELDS = ("at", "group", "name", "namespace", "path", "place", "port", "resource", "verb")


def shown(told: Complaint | None) -> str:
    if told is None:
        return ""
    return " ".join([told.error, *(f"{f}={value}" for f in FIELDS if (value := getattr(told, f)))])


@pytest.mark.parametrize(("word", "example"), EXAMPLES, ids=[e.text[:60] for _, e in EXAMPLES])
def test_an_example_reads_as_it_says(word: LastWord, example: Example) -> None:
    assert shown(complaint([example.text])) == example.gives
    assert word.regex.search(example.text), "it is an example of this pattern"


@pytest.mark.parametrize("word", WORDS, ids=[w.regex.pattern[:50] for w in WORDS])
def test_a_pattern_has_two_examples_a_place_and_a_prefilter_that_holds(word: LastWord) -> None:
    assert len(word.examples) >= 2
    assert all(s.component and s.versions and s.upstream for s in word.seen)
    assert word.seen
    for example in word.examples:
        assert any(n in example.text for n in word.need), example.text
