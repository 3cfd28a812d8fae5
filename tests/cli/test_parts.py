"""The pure parts of the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import click
import pytest

from tests.render.support import NOW, POD, api, deleted_pod, node_facts, snapshot
from unstuck.cli.answers import Shape
from unstuck.cli.ask import Sight, not_asked, routed
from unstuck.cli.connecting import Connection, Place
from unstuck.cli.lang import Duration, language
from unstuck.cli.main import program
from unstuck.cli.run import run
from unstuck.cli.status import status_of
from unstuck.cli.subjects import diagnoses_of, not_fine, parse_subject
from unstuck.cli.why import Why, wait_for
from unstuck.diagnosis.answer import Diagnosis, Report, State, StateName, Told
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding
from unstuck.engine import discover
from unstuck.errors import NotFound, UsageError
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.host import FlaggedFiles
from unstuck.facts.aspects.objects import Condition, Conditions, Deletion, Phase, Presence
from unstuck.facts.aspects.pod import Life
from unstuck.facts.core import Fact, Ref, Refused, Source, Want


@pytest.mark.parametrize(
    ("environ", "lang"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_GB", "LC_ALL": "zh"}, "zh"),
        ({"LANG": "", "LC_ALL": ""}, "en"),
        ({"LANG": "C"}, "en"),
    ],
)
def test_language(environ: dict[str, str], lang: str) -> None:
    assert language(environ) == lang


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("5m", 300), ("1h30m", 5400), ("15", 15), ("0", 0), ("1.5m", 90), ("2d", 172800)]
)
def test_durations(text: str, seconds: float) -> None:
    assert Duration().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "m", "5 minutes", "-5s", "1h-5m", "1e9", "5x"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(click.BadParameter):
        Duration().convert(text, None, None)


@pytest.mark.parametrize(
    ("words", "ref"),
    [
        (("pod/web-0",), Ref("Pod", "shop", "web-0")),
        (("po", "web-0"), Ref("Pod", "shop", "web-0")),
        (("Pods/web-0",), Ref("Pod", "shop", "web-0")),
        (("sts/pg",), Ref("StatefulSet", "shop", "pg")),
        (("deployments.apps/x",), Ref("Deployment", "shop", "x")),
        (("ns/shop",), Ref("Namespace", None, "shop")),
        (("no", "n1"), Ref("Node", None, "n1")),
        (("widget/w",), Ref("widget", "shop", "w")),
        ((), None),
    ],
)
def test_subjects(words: tuple[str, ...], ref: Ref | None) -> None:
    assert parse_subject(words, "shop") == ref


@pytest.mark.parametrize("words", [("pod",), ("pod/a", "b"), ("a", "b", "c"), ("pod/",), ("/x",), ("pod/a/b",)])
def test_what_is_no_subject(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        parse_subject(words, "shop")


def diagnosis(state: StateName, known: bool) -> Diagnosis:
    told = (Told("a.b", Text("", ""), "likely", Finding(Text("", ""), POD, ()), ()),) if known else ()
    return Diagnosis(POD, State(state, Text("", "")), (), told, (), ())


@pytest.mark.parametrize(
    ("found", "status"),
    [
        ([], 0),
        ([("fine", False)], 0),
        ([("progressing", True)], 0),
        ([("stuck", True)], 1),
        ([("stuck", False)], 2),
        ([("unknown", False)], 2),
        ([("fine", False), ("unknown", False), ("stuck", True)], 1),
        ([("progressing", False), ("unknown", False)], 2),
    ],
)
def test_status(found: list[tuple[StateName, bool]], status: int) -> None:
    assert status_of(Report(NOW, (), tuple(diagnosis(*f) for f in found))) == status


def test_the_worst_thing_first() -> None:
    down = Ref("Deployment", "default", "web")
    partly = Ref("StatefulSet", "default", "pg")
    node = Ref("Node", None, "n1")
    pending = Ref("Pod", "default", "a-pending")
    unseen = Ref("PersistentVolumeClaim", "default", "a-claim")
    facts: list[Fact] = [
        *deleted_pod(),
        Workload(about=down, src=api(""), wanted=3, ready=0),
        Workload(about=partly, src=api(""), wanted=3, ready=2),
        Conditions(about=node, src=api(""), items=(Condition("Ready", "Unknown", since=NOW - timedelta(hours=1)),)),
        Phase(about=pending, src=api(""), phase="Pending"),
        Presence(about=pending, src=api(""), exists=True),
        Presence(about=unseen, src=api(""), exists=True),
    ]
    snap = snapshot(*facts)
    order = [d.subject for d in diagnoses_of(not_fine(snap), snap, discover())]
    assert order == [down, POD, node, pending, partly, unseen] or order[:3] == [down, POD, node]
    assert order[-1] == unseen
    assert node not in not_fine(snap, within="default")


def test_a_namespace_that_does_not_go_is_among_what_is_wrong_in_it() -> None:
    going, other = Ref("Namespace", None, "ci-1"), Ref("Namespace", None, "ci-2")
    snap = snapshot(*(Deletion(about=ns, src=api(""), requested=True, due=NOW - timedelta(minutes=5)) for ns in (going, other)))
    assert not_fine(snap, within="ci-1") == (going,)


def test_questions_go_to_whom_they_cost() -> None:
    asked: dict[str, list[Want]] = {"server": [], "node": []}

    def seen(name: str, wants: list[Want]) -> list[Fact]:
        asked[name] += wants
        return []

    collect = routed(lambda w: seen("server", list(w)), lambda w: seen("node", list(w)))
    collect([Want(Phase, POD), Want(FlaggedFiles, POD)])
    assert asked == {"server": [Want(Phase, POD)], "node": [Want(FlaggedFiles, POD)]}


def test_a_node_that_is_not_asked_says_so() -> None:
    (fact,) = not_asked()([Want(FlaggedFiles, POD)])
    assert isinstance(fact, Refused) and fact.why == "not-asked" and fact.want == "FlaggedFiles"


class Moments:
    """A cluster that shows one list of facts a moment, then nothing: the object has gone."""

    source = "live:test"

    def __init__(self, *moments: list[Fact]) -> None:
        self.moments = list(moments)

    def start(self, subject: Ref) -> tuple[Ref, list[Fact]]:
        if not self.moments:
            raise NotFound(f"no {subject}")
        return POD, self.moments.pop(0)

    def collect(self, wants: object) -> list[Fact]:  # noqa: ARG002
        return []

    def on_progress(self, tell: Callable[[int, int], None]) -> None:
        tell(0, 0)

    def so_far(self) -> list[Fact]:
        return []

    def list_unhealthy(self, namespace: str | None) -> tuple[list[Ref], list[Fact]]:  # noqa: ARG002
        return [], []


def waiting(cluster: Moments, monkeypatch: pytest.MonkeyPatch, timeout: float = 60) -> Diagnosis:
    monkeypatch.setattr("unstuck.cli.why.PAUSES", (0.0,))
    asked = Why(("pod/ed-immut",), Place(), Sight(), Shape("text", "en"), timeout=timeout)
    return wait_for(Connection("default", lambda: cluster), POD, asked, timeout)[1]


def test_waiting_ends_when_the_object_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = waiting(Moments(deleted_pod(), deleted_pod()), monkeypatch)
    assert gone.state.name == "fine" and "is gone" in gone.state.headline.en and "已消失" in gone.state.headline.zh


def test_a_mirror_in_the_place_of_the_one_that_was_deleted_is_not_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kubelet makes it anew under another uid."""

    class Mirrors(Moments):
        def start(self, subject: Ref) -> tuple[Ref, list[Fact]]:
            ref = replace(super().start(subject)[0], uid=f"uid-{len(self.moments)}")
            return ref, [
                Presence(about=ref, src=Source(""), exists=True, created=NOW),
                Deletion(about=ref, src=Source(""), requested=bool(self.moments), due=NOW - timedelta(minutes=5)),
                Life(about=ref, src=Source(""), created=NOW, mirror=self.mirror),
                Conditions(about=ref, src=Source(""), items=(Condition("Ready", "True"),)),
            ]

    for Mirrors.mirror, gone in ((True, False), (False, True)):  # type: ignore[attr-defined]
        assert ("is gone" in waiting(Mirrors([], []), monkeypatch, timeout=1).state.headline.en) is gone


def test_waiting_ends_when_a_cause_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Moments(deleted_pod(), [*deleted_pod(), *node_facts()], deleted_pod())
    assert waiting(cluster, monkeypatch).causes[0].id == "file.immutable"
    assert len(cluster.moments) == 1


def test_waiting_ends_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert waiting(Moments(*[deleted_pod()] * 3), monkeypatch, timeout=0).state.name == "stuck"


def test_waiting_for_what_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFound):
        waiting(Moments(), monkeypatch)


def test_an_internal_error_is_one_line_and_a_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("odd\x1b[2J")

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("unstuck.render.schema.schema", broken)
    assert run(["schema"], "unstuck") == 70
    said = capsys.readouterr().err
    (report,) = tmp_path.glob("unstuck-report-*.txt")
    assert str(report) in said and len(said.splitlines()) == 1 and "\x1b" not in said
    assert "ZeroDivisionError" in report.read_text() and "unstuck 0." in report.read_text()


def test_how_it_is_called() -> None:
    assert program("/usr/bin/kubectl-unstuck") == "kubectl unstuck"
    assert program("/usr/bin/unstuck") == "unstuck"
