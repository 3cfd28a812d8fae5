"""Every case of every cause gives its promised verdict."""

from __future__ import annotations

import pytest

from tests.contract.support import Loaded, find_problems, find_word, is_met, judge_case, load_all

CASES = load_all()


@pytest.mark.parametrize("loaded", CASES, ids=[c.name for c in CASES])
def test_case(loaded: Loaded) -> None:
    verdict = judge_case(loaded.cause, loaded.subject, loaded.snapshot)
    assert is_met(loaded.case.expect, verdict), f"{find_word(verdict)}: {verdict}"
    assert not find_problems(loaded.case, verdict)
