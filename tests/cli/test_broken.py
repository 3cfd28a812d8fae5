"""Nothing broken is called fine: a reported cause decides the exit status and the mark, regardless of the
object's own state.
"""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.contract.support import NOW, Loaded, load_all
from unstuck.cli.status import KNOWN, status_of
from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.render.page import Page
from unstuck.render.text import lay_out_headline

CASES = load_all()
# These causes explain an intended state, which needs no fix.
INTENDED = {"deletion.in-grace-period", "deletion.mirror-pod", "deletion.pre-stop-running"}


def _mark(d: Diagnosis, at: datetime) -> str:
    return lay_out_headline((d,), Page("en", 100, at))[0][0].text.strip()


@pytest.mark.parametrize("loaded", CASES, ids=[c.name for c in CASES])
def test_a_told_cause_is_never_fine(loaded: Loaded) -> None:
    d = loaded.diagnosis
    told = {t.id for t in d.causes} - INTENDED
    if told:
        assert status_of(Answer(loaded.snapshot.now, (), (d,))) == KNOWN, told
        assert _mark(d, loaded.snapshot.now) != "✓", told


def test_only_what_is_meant_to_be_so_is_no_trouble() -> None:
    assert {c.cause.id for c in CASES if c.cause.intended} == INTENDED
    alone = [d for d in (c.diagnosis for c in CASES) if d.causes and {t.id for t in d.causes} <= INTENDED]
    assert any(d.state.name == "fine" and _mark(d, NOW) == "✓" for d in alone)
    assert all(not d.broken for d in alone if d.state.name in ("fine", "progressing", "held"))
