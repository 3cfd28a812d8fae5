"""The reported changes since Pods of an owner were last scheduled."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from unstuck.facts.aspects.history import History, NodeAge, Revision
from unstuck.facts.aspects.placing import PodShape
from unstuck.facts.core import Ref, Source
from unstuck.scheduling.history import describe_changes

THEN = datetime(2026, 11, 21, 1, 55, tzinfo=UTC)
WEB = Ref("ReplicaSet", "shop", "web-2")
SHAPE = PodShape(namespace="shop", node_selector=(("type", "m5"),))
OLD = NodeAge("n-1", THEN - timedelta(days=30), "v1.29.4")


def history(*nodes: NodeAge, fitted: datetime | None = THEN, before: PodShape = SHAPE) -> History:
    revisions = (
        Revision("web-1", THEN - timedelta(days=9), before),
        Revision("web-2", THEN - timedelta(days=2), SHAPE),
    )
    return History(about=WEB, src=Source("/api/v1/nodes"), fitted=fitted, revisions=revisions, nodes=nodes)


def english(told: History, labels: dict[str, dict[str, str]]) -> list[str]:
    return [t.en for t in describe_changes(told, labels)]


def test_nodes_that_were_replaced_are_told_with_their_versions_and_the_label_that_is_gone() -> None:
    new = NodeAge("n-2", THEN + timedelta(minutes=14), "v1.34.1")
    newer = NodeAge("n-3", THEN + timedelta(minutes=36), "v1.34.1")
    nodes, label = english(history(OLD, new, newer), {n: {"type": "m6"} for n in ("n-1", "n-2", "n-3")})
    assert nodes.startswith("11-21 02:09Z–11-21 02:31Z  2 of 3 Nodes were made since")
    assert "11-21 01:55Z" in nodes and nodes.endswith("v1.29.4 → v1.34.1")
    assert label.startswith("no Node carries type=m5 any more")


def test_nothing_is_told_where_nothing_changed() -> None:
    assert english(history(OLD), {"n-1": {"type": "m5"}}) == []


def test_of_pods_that_never_fitted_only_their_template_is_told() -> None:
    new = NodeAge("n-2", THEN + timedelta(minutes=14))
    before = replace(SHAPE, node_selector=(("type", "m4"),), requests=(("cpu", 100),))
    (template,) = english(history(OLD, new, fitted=None, before=before), {"n-1": {}, "n-2": {}})
    assert "web-2 differs from web-1 before it in requests, nodeSelector" in template


def test_who_wrote_labels_of_older_nodes_since_is_told() -> None:
    early, late = ("operator", THEN - timedelta(days=1)), ("kubectl-label", THEN + timedelta(minutes=3))
    (written,) = english(history(replace(OLD, written=(early, late))), {"n-1": {"type": "m5"}})
    assert written == "11-21 01:58Z  kubectl-label wrote labels or taints of 1 Nodes: n-1"


def test_both_languages_name_the_same() -> None:
    told = describe_changes(
        history(OLD, NodeAge("n-2", THEN + timedelta(minutes=14), "v1.34.1")), {"n-1": {}, "n-2": {}}
    )
    for text in told:
        for word in ("02:09", "v1.34.1", "type=m5"):
            assert (word in text.en) == (word in text.zh)
