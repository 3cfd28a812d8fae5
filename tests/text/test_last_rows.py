"""The commands of a paste were run one after the other: the last line about an object's phase counts."""

from __future__ import annotations

from tests.text.support import pick, read_facts
from unstuck.facts.aspects.objects import Phase

ROWS = "$ kubectl get pods\nNAME    READY   STATUS                     RESTARTS   AGE\n{}   0/1     {:<24}   0          53s\n"
BEFORE, AFTER = ROWS.format("job-1", "Completed"), ROWS.format("job-1", "UnexpectedAdmissionError")


def test_a_later_row_replaces_an_earlier_one() -> None:
    assert [(f.phase, f.reason) for f in pick(read_facts(BEFORE + AFTER), Phase)] == [
        ("Failed", "UnexpectedAdmissionError")
    ]
    assert [f.phase for f in pick(read_facts(AFTER + BEFORE), Phase)] == ["Succeeded"]


def test_rows_of_other_objects_stay() -> None:
    assert len(pick(read_facts(BEFORE + AFTER.replace("job-1", "job-2")), Phase)) == 2
