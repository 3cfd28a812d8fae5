"""Every case of every cause gives the verdict that it promises."""

from __future__ import annotations

import pytest

from tests.contract.support import Loaded, agrees, load_all, verdict_of, word
from unstuck.diagnosis.verdict import Match

CASES = load_all()


@pytest.mark.parametrize("loaded", CASES, ids=[c.name for c in CASES])
def test_case(loaded: Loaded) -> None:
    verdict = verdict_of(loaded.cause, loaded.subject, loaded.snapshot)
    assert agrees(loaded.case.expect, verdict), f"{word(verdict)}: {verdict}"
    if isinstance(verdict, Match) and loaded.case.says:
        said = verdict.finding.says
        assert loaded.case.says in said.en and loaded.case.says in said.zh, said
