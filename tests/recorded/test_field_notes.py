"""Field notes' own evidence, pasted verbatim with other identifiers: answered with the note's conclusion, or
a weaker one.

`field_notes/NAME.cases.md` holds one note each. A heading names the cause; the text below gives the note's
conclusion, and the reason for any correction. `nothing` stands for evidence without a permitted cause.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts.cases import Case, load_cases

from tests.contract.support import NOW, load_facts
from unstuck.diagnosis.verdict import Undecided
from unstuck.engine import diagnose, discover
from unstuck.facts.snapshot import Snapshot

CASES = [
    c for path in sorted((Path(__file__).parent / "field_notes").glob("*.cases.md")) for c in load_cases(path)
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.kind}: {c.title}")
def test_a_note_is_answered(case: Case) -> None:
    found = diagnose(case.subject, Snapshot(load_facts(case), case.now or NOW), discover())
    told = [(t.id, t.confidence) for t in found.causes]
    if case.expect in ("proven", "likely"):
        assert told and told[0] == (case.kind, case.expect), (told, found.undecided)
        says = found.causes[0].finding.says
        assert not case.says or (case.says in says.en and case.says in says.zh), says
        return
    # Undetermined causes are never reported; the candidates stay open, with the deciding evidence.
    assert told == []
    if case.kind != "nothing":
        asked = {e.id: e.verdict for e in found.explained}
        assert isinstance(asked[case.kind], Undecided), asked[case.kind]
        assert case.expect != "possible" or any(o.id == case.kind and o.possible for o in found.undecided), (
            found.undecided
        )


def test_no_note_is_without_its_cases() -> None:
    assert len({c.kind for c in CASES}) >= 10 and len(CASES) >= 20
