"""Repeated questions until all is fine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.render.support import make_deleted_pod, make_node_facts, make_snapshot, report
from unstuck.api.following import Update, follow
from unstuck.api.report import Report, report_of
from unstuck.diagnosis.answer import Diagnosis
from unstuck.errors import AccessError, NotFound, Unreachable
from unstuck.facts.codec import Saved
from unstuck.facts.text import Text

SNAP = make_snapshot(*make_deleted_pod(), *make_node_facts())
STUCK = report(SNAP).diagnoses[0]
UNKNOWN = replace(STUCK, causes=())
FINE = replace(STUCK, causes=(), state=replace(STUCK.state, name="fine"))


def answer(diagnosis: Diagnosis) -> Report:
    return report_of(Saved(SNAP, None), [diagnosis])


def updates(first: Diagnosis, *rounds: Diagnosis | Exception) -> list[Update]:
    left = list(rounds)

    def again() -> Report:
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        return answer(found)

    pauses: list[float] = []
    pause: Callable[[float], None] = pauses.append
    found = list(follow(answer(first), again, pause))
    assert len(pauses) == len(found) and not left
    return found


def test_what_is_fine_is_not_asked_again() -> None:
    assert updates(FINE) == []


def test_it_ends_when_all_is_fine() -> None:
    one, two = updates(STUCK, STUCK, FINE)
    assert one.changes == () and not one.new_causes
    assert two.changes and two.report and two.report.diagnoses[0].state.name == "fine"


def test_a_new_cause_is_told_once() -> None:
    assert [u.new_causes for u in updates(UNKNOWN, STUCK, STUCK, FINE)] == [True, False, False]


def test_a_server_that_does_not_answer_may_come_back() -> None:
    lost = Unreachable(Text("lost", "失联"))
    one, two = updates(STUCK, lost, FINE)
    assert one.error is lost and one.report is None and two.report


def test_it_ends_when_the_object_has_gone() -> None:
    (last,) = updates(STUCK, NotFound(Text("gone", "已消失")))
    assert isinstance(last.error, NotFound)


def test_another_error_is_the_callers() -> None:
    with pytest.raises(AccessError):
        updates(STUCK, AccessError(Text("no", "不")))
