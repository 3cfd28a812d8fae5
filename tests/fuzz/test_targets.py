"""Every parser stands a first round of mutated real texts; the long run is `python -m tests.fuzz`."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.fuzz.targets import TARGETS, corpus, mutations

pytestmark = pytest.mark.slow

ROUND = 120


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_mutated_texts_raise_nothing(name: str) -> None:
    for data in islice(mutations(7, corpus()), ROUND):
        TARGETS[name](data)
