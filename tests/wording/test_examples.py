"""Every pattern's own examples give their stated reading."""

from __future__ import annotations

import pytest

from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Source
from unstuck.wording.match import PATTERNS, find_failures
from unstuck.wording.pattern import Call, Error, Example

POD = Ref("Pod", None, "p")
EXAMPLES = [(p, e) for p in PATTERNS for e in p.examples]


def shown(failure: Failure) -> str:
    parts = [f"{failure.operation} {failure.error}"]
    for name in ("container", "host", "key", "object", "path", "volume"):
        value = getattr(failure, name)
        if isinstance(value, Ref):
            value = "/".join(v for v in (value.kind, value.within, value.name) if v)
        if value is not None:
            parts.append(f"{name}={value}")
    return " ".join(parts)


@pytest.mark.parametrize(("pattern", "example"), EXAMPLES, ids=[e.text[:60] for _, e in EXAMPLES])
def test_an_example_reads_as_it_says(pattern: Call | Error, example: Example) -> None:
    got = find_failures(example.text, about=POD, src=Source("test"))
    assert "; ".join(shown(f) for f in got) == example.gives
    assert all(not f.whole for f in got)


@pytest.mark.parametrize("pattern", PATTERNS, ids=[p.regex.pattern[:50] for p in PATTERNS])
def test_a_pattern_has_two_examples_a_place_and_a_prefilter_that_holds(pattern: Call | Error) -> None:
    assert len(pattern.examples) >= 2
    assert pattern.seen
    assert all(s.component and s.versions for s in pattern.seen)
    assert all(n == n.lower() for n in pattern.need)
    for example in pattern.examples:
        assert any(n in example.text.lower() for n in pattern.need), example.text
