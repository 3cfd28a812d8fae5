"""Every case of every cause gives the verdict that it promises."""

from __future__ import annotations

import pytest

from tests.contract.support import Loaded, agrees, find_problems, load_all, verdict_of, word

CASES = load_all()


@pytest.mark.parametrize("loaded", CASES, ids=[c.name for c in CASES])
def test_case(loaded: Loaded) -> None:
    verdict = verdict_of(loaded.cause, loaded.subject, loaded.snapshot)
    assert agrees(loaded.case.expect, verdict), f"{word(verdict)}: {verdict}"
    assert not find_problems(loaded.case, verdict)
