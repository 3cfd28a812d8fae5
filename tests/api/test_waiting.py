"""The polled subjects, and the end of polling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.render.support import NOW, POD, make_deleted_pod, make_node_facts
from unstuck.api.cluster import Cluster
from unstuck.api.investigation import route
from unstuck.api.node_access import answer_unasked
from unstuck.diagnosis.answer import Diagnosis
from unstuck.errors import NotFound
from unstuck.facts.aspects.host import FlaggedFiles
from unstuck.facts.aspects.objects import Condition, Conditions, Deletion, Phase, Presence
from unstuck.facts.aspects.pod import Life
from unstuck.facts.core import Fact, Ref, Refused, Source, Want


def test_questions_go_to_whom_they_cost() -> None:
    asked: dict[str, list[Want]] = {"server": [], "node": []}

    def seen(name: str, wants: list[Want]) -> list[Fact]:
        asked[name] += wants
        return []

    collect = route(lambda w: seen("server", list(w)), lambda w: seen("node", list(w)))
    collect([Want(Phase, POD), Want(FlaggedFiles, POD)])
    assert asked == {"server": [Want(Phase, POD)], "node": [Want(FlaggedFiles, POD)]}


def test_a_node_that_is_not_asked_says_so() -> None:
    (fact,) = answer_unasked([Want(FlaggedFiles, POD)])
    assert isinstance(fact, Refused) and fact.why == "not-asked" and fact.want == "FlaggedFiles"


class Moments:
    """A cluster with one list of facts per moment, then nothing: the object is gone."""

    source = "live:test"

    def __init__(self, *moments: list[Fact]) -> None:
        self.moments = list(moments)

    def start(self, subject: Ref) -> tuple[Ref, list[Fact]]:
        if not self.moments:
            raise NotFound(f"no {subject}")
        return POD, self.moments.pop(0)

    def collect(self, wants: object) -> list[Fact]:
        return []

    def on_progress(self, tell: Callable[[int, int], None]) -> None:
        tell(0, 0)

    def so_far(self) -> list[Fact]:
        return []

    def list_unhealthy(self, namespace: str | None) -> tuple[list[Ref], list[Fact]]:
        return [], []


def waiting(cluster: Moments, monkeypatch: pytest.MonkeyPatch, timeout: float = 60) -> Diagnosis:
    monkeypatch.setattr("unstuck.api.waiting.PAUSES", (0.0,))
    return Cluster("default", lambda: cluster).wait("pod/ed-immut", timeout=timeout).diagnoses[0]


def test_waiting_ends_when_the_object_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = waiting(Moments(make_deleted_pod(), make_deleted_pod()), monkeypatch)
    assert (
        gone.state.name == "fine"
        and "— gone" in gone.state.headline.en
        and "已消失" in gone.state.headline.zh
    )


def test_a_mirror_in_the_place_of_the_one_that_was_deleted_is_not_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kubelet makes it anew under another uid."""

    class Mirrors(Moments):
        def start(self, subject: Ref) -> tuple[Ref, list[Fact]]:
            ref = replace(super().start(subject)[0], uid=f"uid-{len(self.moments)}")
            return ref, [
                Presence(about=ref, src=Source(""), exists=True, created=NOW),
                Deletion(
                    about=ref, src=Source(""), requested=bool(self.moments), due=NOW - timedelta(minutes=5)
                ),
                Life(about=ref, src=Source(""), created=NOW, mirror=self.mirror),
                Conditions(about=ref, src=Source(""), items=(Condition("Ready", "True"),)),
            ]

    for Mirrors.mirror, gone in ((True, False), (False, True)):
        assert ("— gone" in waiting(Mirrors([], []), monkeypatch).state.headline.en) is gone


def test_waiting_ends_when_a_cause_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Moments(make_deleted_pod(), [*make_deleted_pod(), *make_node_facts()], make_deleted_pod())
    assert waiting(cluster, monkeypatch).causes[0].id == "file.immutable"
    assert len(cluster.moments) == 1


def test_waiting_ends_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert waiting(Moments(*[make_deleted_pod()] * 3), monkeypatch, timeout=0).state.name == "stuck"


def test_waiting_for_what_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFound):
        waiting(Moments(), monkeypatch)
