"""What is different between two answers."""

from __future__ import annotations

from dataclasses import replace

from tests.render.support import NOW, deleted_pod, node_facts, report, snapshot
from unstuck.api.changes import changes
from unstuck.api.report import report_of
from unstuck.facts.codec import Saved
from unstuck.facts.snapshot import Snapshot


def test_causes_that_are_gone_are_told_in_the_order_of_the_answer_before() -> None:
    d = report(snapshot(*deleted_pod(), *node_facts())).diagnoses[0]
    ids = [f"some.cause-{n}" for n in range(12)]
    before = replace(d, causes=tuple(replace(d.causes[0], id=id_) for id_ in ids))
    saved = Saved(Snapshot((), NOW), None)
    told = changes(report_of(saved, [before]), report_of(saved, [replace(d, causes=())]))
    assert [text.en.rpartition(": ")[2] for text in told] == [f"{id_} is no longer the cause" for id_ in ids]
