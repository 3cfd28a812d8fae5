"""One trouble is one incident, whatever its reporters, and sorted by the blocked activity."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.diagnosis.answer import CauseMatch, Diagnosis, Stage, State, StateName, Trouble
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Confidence, Finding
from unstuck.engine.incidents import group_incidents
from unstuck.facts.aspects.objects import Owners
from unstuck.facts.aspects.pod import ContainerStatus, ContainerStatuses, Termination
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 27, tzinfo=UTC)
SRC = Source("api")
T = Text("t", "t")
WEB, SET = Ref("Deployment", "shop", "web"), Ref("ReplicaSet", "shop", "web-7d9f8b6c5d")
PODS = tuple(Ref("Pod", "shop", f"web-7d9f8b6c5d-{n}") for n in ("aaaaa", "bbbbb"))
NODE = Ref("Node", None, "lab-1")


def container(pod: Ref) -> Ref:
    return Ref("Container", f"{pod.within}/{pod.name}", "main")


def told(id_: str, culprit: Ref, confidence: Confidence = "proven", via: Ref | None = None) -> CauseMatch:
    return CauseMatch(id_, T, confidence, Finding(T, culprit, ()), (), via=via)


def diagnosed(
    subject: Ref,
    *causes: CauseMatch,
    state: StateName = "stuck",
    stages: tuple[str, ...] = (),
    seen: tuple[Fact, ...] = (),
) -> Diagnosis:
    line = tuple(Stage(s, T, "not-done") for s in stages)
    return Diagnosis(subject, State(state, T, NOW, seen), line, causes, (), ())


def owned(*pods: Ref) -> Snapshot:
    return Snapshot([Owners(about=p, src=SRC, refs=(), controller=SET) for p in pods], NOW)


def test_a_pod_and_its_owner_are_one() -> None:
    pods = [diagnosed(p, told("container.exits", container(p))) for p in PODS]
    # The owner reports a finding from one of its Pods.
    owner = diagnosed(WEB, told("container.exits", container(PODS[0]), via=PODS[0]))
    (one,) = group_incidents([owner, *pods], owned(*PODS))
    assert set(one.members) == {WEB, *PODS} and one.trouble == "not-starting"


def test_of_one_thing_that_is_proven_to_be_wrong_what_else_is_likely_is_no_second_incident() -> None:
    both = diagnosed(
        PODS[0],
        told("container.exits", container(PODS[0])),
        told("container.killed", container(PODS[0]), "likely"),
    )
    assert [i.cause for i in group_incidents([both], owned(*PODS))] == ["container.exits"]
    # A different object is a different trouble.
    other = diagnosed(PODS[0], told("container.exits", container(PODS[0])), told("node.slow", NODE, "likely"))
    assert [i.cause for i in group_incidents([other], owned(*PODS))] == ["container.exits", "node.slow"]


def test_two_things_that_are_missing_are_two() -> None:
    a, b = Ref("ConfigMap", "shop", "a"), Ref("Secret", "shop", "b")
    both = diagnosed(PODS[0], told("config.configmap-missing", a), told("config.secret-missing", b))
    assert [i.culprit for i in group_incidents([both], owned(*PODS))] == [a, b]


def test_what_has_no_cause_is_an_incident_and_a_workload_is_where_its_pods_are() -> None:
    alone = Ref("PersistentVolumeClaim", "shop", "data")
    found = group_incidents([diagnosed(WEB), *(diagnosed(p) for p in PODS), diagnosed(alone)], owned(*PODS))
    assert [(i.cause, set(i.members)) for i in found] == [("", {WEB, *PODS}), ("", {alone})]
    assert [i.id for i in found] == [1, 2]


@pytest.mark.parametrize(("confidence", "urgent"), [("likely", False), ("proven", True)])
def test_what_has_time_left_comes_last_unless_its_cause_is_proven_and_is_no_incident_without_one(
    confidence: Confidence, urgent: bool
) -> None:
    late = [
        diagnosed(Ref("Pod", "shop", f"p{n}"), told("a.slow", NODE, confidence), state="progressing")
        for n in range(5)
    ]
    quiet = diagnosed(Ref("Pod", "shop", "q"), state="progressing")
    found = group_incidents([*late, quiet, diagnosed(PODS[0])], owned(*PODS))
    slow, alone = ("a.slow", 5), ("", 1)
    assert [(i.cause, len(i.members)) for i in found] == ([slow, alone] if urgent else [alone, slow])
    assert [i.id for i in found] == [1, 2]


def test_the_sort_with_the_widest_comes_first() -> None:
    small = diagnosed(Ref("Pod", "shop", "small"), told("a.a", Ref("ConfigMap", "shop", "x")))
    going = [
        diagnosed(Ref("Pod", "shop", f"g{n}"), told("b.b", NODE), stages=("requested", "gone"))
        for n in range(3)
    ]
    found = group_incidents([small, *going], owned(*PODS))
    assert [(i.cause, i.trouble) for i in found] == [("b.b", "not-going-away"), ("a.a", "not-starting")]


def statuses(pod: Ref, **status: object) -> tuple[Fact, ...]:
    return (
        ContainerStatuses(about=pod, src=SRC, items=(ContainerStatus("c", "main", "waiting", **status),)),
    )


@pytest.mark.parametrize(
    ("one", "trouble"),
    [
        (diagnosed(PODS[0]), "not-starting"),
        (diagnosed(PODS[0], seen=statuses(PODS[0], reason="ImagePullBackOff")), "not-starting"),
        (diagnosed(PODS[0], seen=statuses(PODS[0], reason="CrashLoopBackOff")), "crashing"),
        (diagnosed(PODS[0], seen=statuses(PODS[0], last=Termination(code=1))), "crashing"),
        (
            diagnosed(
                PODS[0], stages=("requested", "gone"), seen=statuses(PODS[0], last=Termination(code=1))
            ),
            "not-going-away",
        ),
        (diagnosed(Ref("Namespace", None, "shop"), stages=("discovery-works", "gone")), "not-going-away"),
        (diagnosed(NODE), "nodes"),
        (diagnosed(WEB), "not-starting"),
        (diagnosed(Ref("PersistentVolumeClaim", "shop", "data")), "other"),
        (diagnosed(Ref("Job", "shop", "train")), "other"),
    ],
)
def test_what_does_not_go_on(one: Diagnosis, trouble: Trouble) -> None:
    (found,) = group_incidents([one], Snapshot((), NOW))
    assert found.trouble == trouble
