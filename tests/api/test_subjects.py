"""The choice of the intended object, and the ranking of objects."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.render.support import NOW, POD, make_api_source, make_deleted_pod, make_snapshot
from unstuck.api.ranking import find_unwell, rank_diagnoses
from unstuck.api.subject import parse_object, parse_subject
from unstuck.engine import discover
from unstuck.errors import UsageError
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Condition, Conditions, Deletion, Phase, Presence
from unstuck.facts.aspects.pod import TroubleLine, TroubleLines
from unstuck.facts.core import Fact, Ref


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


@pytest.mark.parametrize(
    "words", [("pod",), ("pod/a", "b"), ("a", "b", "c"), ("pod/",), ("/x",), ("pod/a/b",)]
)
def test_what_is_no_subject(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        parse_subject(words, "shop")


def test_the_worst_thing_first() -> None:
    down = Ref("Deployment", "default", "web")
    partly = Ref("StatefulSet", "default", "pg")
    node = Ref("Node", None, "n1")
    pending = Ref("Pod", "default", "a-pending")
    unseen = Ref("PersistentVolumeClaim", "default", "a-claim")
    facts: list[Fact] = [
        *make_deleted_pod(),
        Workload(about=down, src=make_api_source(""), wanted=3, ready=0),
        Workload(about=partly, src=make_api_source(""), wanted=3, ready=2),
        Conditions(
            about=node,
            src=make_api_source(""),
            items=(Condition("Ready", "Unknown", since=NOW - timedelta(hours=1)),),
        ),
        Phase(about=pending, src=make_api_source(""), phase="Pending"),
        Presence(about=pending, src=make_api_source(""), exists=True),
        Presence(about=unseen, src=make_api_source(""), exists=True),
    ]
    snap = make_snapshot(*facts)
    order = [d.subject for d in rank_diagnoses(find_unwell(snap), snap, discover())]
    assert order == [down, POD, node, pending, partly, unseen] or order[:3] == [down, POD, node]
    assert order[-1] == unseen
    assert node not in find_unwell(snap, within="default")


def test_a_pod_of_which_only_its_log_was_read_is_not_unwell() -> None:
    line = TroubleLine("c", "main", "error: quota of senders exceeded")
    read = TroubleLines(about=POD, src=make_api_source("log"), items=(line,), whole=False)
    assert find_unwell(make_snapshot(read)) == ()


def test_a_namespace_that_does_not_go_is_among_what_is_wrong_in_it() -> None:
    going, other = Ref("Namespace", None, "ci-1"), Ref("Namespace", None, "ci-2")
    snap = make_snapshot(
        *(
            Deletion(about=ns, src=make_api_source(""), requested=True, due=NOW - timedelta(minutes=5))
            for ns in (going, other)
        )
    )
    assert find_unwell(snap, within="ci-1") == (going,)


@pytest.mark.parametrize(
    ("word", "ref"),
    [
        ("shop/deploy/web", Ref("Deployment", "shop", "web")),
        ("shop/pod/web-0", Ref("Pod", "shop", "web-0")),
        ("shop/widget.example.com/w", Ref("widget.example.com", "shop", "w")),
    ],
)
def test_a_name_is_taken_as_a_scan_writes_it(word: str, ref: Ref) -> None:
    assert parse_object([word], "default") == ref


@pytest.mark.parametrize("word", ["pod/web/log", "a/b/c/d", "shop/pod/", "/pod/x", "shop//x"])
def test_other_words_with_two_slashes_name_no_object(word: str) -> None:
    with pytest.raises(UsageError):
        parse_object([word], "default")
