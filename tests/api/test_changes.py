"""Differences between two answers."""

from __future__ import annotations

from dataclasses import replace

from tests.render.support import NOW, make_deleted_pod, make_node_facts, make_snapshot, report
from unstuck.api.changes import list_changes
from unstuck.api.report import report_of
from unstuck.facts.codec import Saved
from unstuck.facts.snapshot import Snapshot
from unstuck.render.words import WORDS


def test_causes_that_are_gone_are_told_in_the_order_of_the_answer_before() -> None:
    d = report(make_snapshot(*make_deleted_pod(), *make_node_facts())).diagnoses[0]
    ids = [f"some.cause-{n}" for n in range(12)]
    before = replace(d, causes=tuple(replace(d.causes[0], id=id_) for id_ in ids))
    saved = Saved(Snapshot((), NOW), None)
    told = list_changes(report_of(saved, [before]), report_of(saved, [replace(d, causes=())]))
    assert [text.en.rpartition(": ")[2] for text in told] == [f"{id_} is no longer the cause" for id_ in ids]


def test_a_cause_that_has_come_is_told_with_the_words_of_every_answer() -> None:
    d = report(make_snapshot(*make_deleted_pod(), *make_node_facts())).diagnoses[0]
    saved = Saved(Snapshot((), NOW), None)
    for sure in ("proven", "likely"):
        now = replace(d, causes=(replace(d.causes[0], confidence=sure),))
        told = list_changes(report_of(saved, [replace(d, causes=())]), report_of(saved, [now]))
        assert [
            f"：{WORDS[sure].zh}：" in text.zh and f": {WORDS[sure].en}: " in text.en for text in told
        ] == [True]
