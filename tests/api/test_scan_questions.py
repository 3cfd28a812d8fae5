"""The questions of a scan about one subject."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.kube.small import Doc, Small, make_healthy_cluster, make_pod_with_map, small
from unstuck import api
from unstuck.api import replaying, scanning
from unstuck.api.scanning import JudgingOptions, QuestionBudget, choose_questions, find_unexplained
from unstuck.diagnosis.answer import State, StateName
from unstuck.engine.assessment import Assessment
from unstuck.engine.evaluator import Evaluator
from unstuck.facts.aspects.objects import Below, Conditions, Events, Presence
from unstuck.facts.core import Ref, Want
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Text

SNAP = Snapshot((), datetime(2026, 11, 21, tzinfo=UTC))


@pytest.mark.parametrize(
    ("kind", "state", "all_below"),
    [("Node", "stuck", False), ("Node", "unknown", True), ("Deployment", "stuck", True)],
)
def test_all_pods_are_not_asked_for_of_a_node_that_is_known_to_be_stuck(
    kind: str, state: StateName, all_below: bool
) -> None:
    subject = Ref(kind, None if kind == "Node" else "shop", "x")
    asked = Assessment(subject, State(state, Text("x", "x")), (), ())
    assert choose_questions(asked, SNAP) == ([Want(Below, subject)] if all_below else [])


def broken(n: int) -> list[Doc]:
    return [
        *make_healthy_cluster(),
        *(make_pod_with_map(f"web-{i}", "default", f"conf-{i}") for i in range(n)),
    ]


def test_everybody_has_a_turn_before_anybody_has_the_second() -> None:
    a, b = Ref("Pod", "shop", "a"), Ref("Pod", "shop", "b")
    wants = {r: [Want(fact, r) for fact in (Presence, Events, Conditions)] for r in (a, b)}
    turn = QuestionBudget(lambda _: (), frozenset(), budget=4)
    assert turn.choose(wants) == [wants[a][0], wants[b][0], wants[a][1], wants[b][1]]
    assert turn.skipped == {a: 1, b: 1}


def test_one_that_no_longer_looks_like_the_one_that_was_asked_about_is_asked_itself() -> None:
    alone = Ref("Pod", "shop", "part-2")
    manner = JudgingOptions((), None, Evaluator())
    assert [r for r, likely in find_unexplained([alone], {alone}, SNAP, manner) if not likely.ids] == [alone]
    assert find_unexplained([alone], (), SNAP, manner) == []


def test_a_scan_says_about_how_many_it_has_not_asked_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "BUDGET", 8)
    with small(Small(broken(6)), tmp_path) as (_, kubeconfig):
        report = api.connect(kubeconfig=str(kubeconfig)).scan()
    (left,) = report.left_out
    assert left.en.startswith("not every question was put about 6 of the objects") and "6 个对象" in left.zh
    # A repeated answer gives the same result.
    assert replaying.replay_saved(report.saved).left_out == report.left_out


def test_what_is_proven_of_one_is_proven_in_a_scan_of_many(tmp_path: Path) -> None:
    with small(Small(broken(40)), tmp_path) as (_, kubeconfig):
        cluster = api.connect(kubeconfig=str(kubeconfig))
        report = cluster.scan()
        one = cluster.why("pod/web-39").diagnoses[0]
    assert not report.left_out
    assert [t.id for t in one.causes] == ["config.configmap-missing"]
    assert (
        all([t.id for t in d.causes] == ["config.configmap-missing"] for d in report.diagnoses)
        and len(report.diagnoses) == 40
    )
