"""Field notes' own evidence, pasted as it stands there with other identifiers: answered with the note's conclusion, or with less.

`field_notes/NAME.cases.md` holds one note each. A heading names the cause; the words below it say what the note concluded, and where that
is corrected, why. `nothing` stands for evidence from which no cause may be told.
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
    # Nothing that the text does not settle is told as a cause; what could be it stays open, with what would decide.
    assert told == []
    if case.kind != "nothing":
        asked = {e.id: e.verdict for e in found.explained}
        assert isinstance(asked[case.kind], Undecided), asked[case.kind]
        assert case.expect != "possible" or any(o.id == case.kind and o.possible for o in found.undecided), (
            found.undecided
        )


def test_no_note_is_without_its_cases() -> None:
    assert len({c.kind for c in CASES}) >= 10 and len(CASES) >= 20
