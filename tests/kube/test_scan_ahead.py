"""A scan does not wait for a complete list before it requests the next."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kube.server import Handler, serving
from tests.kube.small import (
    LONG_AGO,
    Doc,
    Small,
    make_healthy_cluster,
    make_lease,
    make_namespace,
    make_node,
    make_object,
    make_pod,
    make_pod_with_map,
    small,
)
from tests.kube.test_client import client
from unstuck.collect.kube.collector import KubeCollector
from unstuck.collect.kube.questions.below import list_below
from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.scan import tables, triage
from unstuck.collect.kube.scan.finished_pods import APART
from unstuck.collect.kube.transport.client import load_client
from unstuck.collect.kube.transport.parallel import BackgroundCall
from unstuck.collect.kube.transport.session import Session
from unstuck.facts.aspects.cluster import Contents
from unstuck.facts.aspects.objects import Below
from unstuck.facts.core import Fact, Ref, Want

GOING = {"deletionTimestamp": LONG_AGO, "finalizers": ["example.com/hold"]}
SECONDS = 20


def scanned(cluster: Small, path: Path) -> tuple[list[Ref], list[Fact]]:
    with small(cluster, path) as (_, kubeconfig):
        return KubeCollector(load_client(kubeconfig=str(kubeconfig))).list_unhealthy(None)


def names(refs: list[Ref], kind: str) -> list[str | None]:
    return [r.name for r in refs if r.kind == kind]


def completed(name: str, space: str, **meta: object) -> Doc:
    one = make_pod(name, space, "Completed", {"reason": ""}, **meta)
    return {**one, "status": {**one["status"], "phase": "Succeeded"}}


def held_back(
    what: Callable[[Handler], bool], until: Callable[[Handler], bool]
) -> tuple[Callable[[Handler, str], bool], list[bool]]:
    """Delay the answer to `what` until `until` is requested; the list records whether it was."""
    asked, came = threading.Event(), list[bool]()

    def before(handler: Handler, _path: str) -> bool:
        if until(handler):
            asked.set()
        if what(handler):
            came.append(asked.wait(SECONDS))
        return False

    return before, came


def test_tables_of_pods_are_asked_for_before_the_nodes_are_known_and_judged_after(tmp_path: Path) -> None:
    gone = make_node("n-1")
    gone["cells"] = ("n-1", "NotReady")
    gone["status"]["conditions"][0]["status"] = "Unknown"
    before, came = held_back(
        lambda h: h.path.startswith("/api/v1/nodes?"), lambda h: "/default/pods?" in h.path
    )
    refs, _ = scanned(
        Small(
            [gone, make_lease("n-1"), make_namespace("default"), make_pod("looks-fine", "default")], before
        ),
        tmp_path,
    )
    assert came and all(came)
    assert names(refs, "Node") == ["n-1"]


def test_an_ill_pod_is_read_before_all_tables_are_there(tmp_path: Path) -> None:
    before, came = held_back(
        lambda h: "/other/pods?" in h.path,
        lambda h: h.path.startswith("/api/v1/namespaces/default/pods/web-1"),
    )
    refs, _ = scanned(
        Small(
            [
                *make_healthy_cluster(),
                make_namespace("other"),
                make_pod_with_map("web-1", "default"),
                make_pod_with_map("web-2", "other"),
            ],
            before,
        ),
        tmp_path,
    )
    assert came and all(came)
    assert names(refs, "Pod") == ["web-1", "web-2"]


def test_a_node_that_is_ready_and_being_deleted_is_found(tmp_path: Path) -> None:
    going = make_node("n-2")
    going["metadata"].update(GOING)
    refs, _ = scanned(Small([*make_healthy_cluster(), going, make_lease("n-2")]), tmp_path)
    assert names(refs, "Node") == ["n-2"]


@pytest.mark.parametrize("spaces", [1, APART + 5, 2 * APART + 5])
def test_what_is_being_deleted_among_the_completed_is_found_in_however_many_namespaces(
    tmp_path: Path, spaces: int
) -> None:
    named = [f"s-{i:03d}" for i in range(spaces)]
    objects = [
        o
        for s in named
        for o in (
            make_namespace(s),
            completed("done", s),
            completed("held", s, **(GOING if s == named[-1] else {})),
        )
    ]
    asked: list[str] = []

    def before(handler: Handler, _path: str) -> bool:
        if "status.phase" in handler.path:
            asked.append(handler.path)
        return False

    refs, _ = scanned(Small([make_node("n-1"), make_lease("n-1"), *objects], before), tmp_path)
    assert [(r.within, r.name) for r in refs if r.kind == "Pod"] == [(named[-1], "held")]
    assert len(asked) == (spaces if spaces <= APART else 1)


def test_who_may_list_by_phase_in_namespaces_alone_is_answered_there(tmp_path: Path) -> None:
    named = [f"s-{i:03d}" for i in range(APART + 1)]
    objects = [
        o
        for s in named
        for o in (make_namespace(s), completed("held", s, **(GOING if s == named[-1] else {})))
    ]

    def before(handler: Handler, _path: str) -> bool:
        refuse = handler.path.startswith("/api/v1/pods?") and "status.phase" in handler.path
        if refuse:
            handler.say(403, {"kind": "Status", "message": "not in the cluster"})
        return refuse

    refs, facts = scanned(Small([make_node("n-1"), make_lease("n-1"), *objects], before), tmp_path)
    assert [(r.within, r.name) for r in refs if r.kind == "Pod"] == [(named[-1], "held")]
    assert not [f for f in facts if "not in the cluster" in f.src.quote]


def test_a_list_by_phase_that_was_refused_is_told(tmp_path: Path) -> None:
    def before(handler: Handler, _path: str) -> bool:
        if "status.phase" in handler.path:
            handler.say(403, {"kind": "Status", "message": "no selectors today"})
        return "status.phase" in handler.path

    _, facts = scanned(Small([*make_healthy_cluster(), completed("done", "default")], before), tmp_path)
    assert [f for f in facts if "no selectors today" in f.src.quote]


# --- rows ---------------------------------------------------------------------------------------------------

TITLES = ("Name", "Ready", "Status", "Restarts", "Age", "IP", "Node", "Nominated Node", "Readiness Gates")
WELL: list[object] = ["web", "2/2", "Running", "0", "3d", "10.0.0.1", "n-1", "<none>", "<none>"]
# Cells of a table row that imitate two rows, or another one.
ODD: list[tuple[int, object]] = [
    *((2, v) for v in ('Running","0', "Running\\", 'a"b')),
    *(
        (i, v)
        for i in (0, 4, 5, 7)
        for v in ("", '","1/2","Error","0', 'x"],"object":null},{"cells":["', "<none>", "ü")
    ),
    *((3, v) for v in (7, "7 (3m21s ago)")),
]


def test_a_table_is_told_row_by_row_and_cell_by_cell_whatever_stands_in_them() -> None:
    rows = [WELL, *([*WELL[:i], v, *WELL[i + 1 :]] for i, v in ODD), WELL]
    table = {
        "kind": "Table",
        "columnDefinitions": [{"name": t, "description": 'the "rows":[ of it'} for t in TITLES],
        "rows": [{"cells": r, "object": None} for r in rows],
        "later": {"rows": []},
    }
    # In Go's form.
    said = (
        json.dumps(table, separators=(",", ":"), ensure_ascii=False)
        .replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .encode()
    )
    with serving(lambda h: h.say(200, said)) as s:
        found = tables.table(Session(client(s.url), "shop"), kind_named("Pod"), "shop")
    assert [[*r] for r in found.rows] == rows and found.at == triage.columns(TITLES)


# --- concurrency ----------------------------------------------------------------------------------------


def test_who_asks_for_what_has_begun_gets_its_result_or_its_error_each_time() -> None:
    assert [begun.wait() for begun in [BackgroundCall(lambda: 7)] * 2] == [7, 7]
    failing = BackgroundCall(lambda: int("no number"))
    for _ in range(2):
        with pytest.raises(ValueError, match="no number"):
            failing.wait()


@pytest.mark.parametrize(
    ("cached", "replicas", "from_cache"), [(True, 3, True), (True, 501, False), (False, 3, False)]
)
def test_a_scan_asks_the_cache_for_the_pods_of_a_workload_that_has_few(
    cached: bool, replicas: int, from_cache: bool
) -> None:
    labels = {"matchLabels": {"app": "web"}}
    web = make_object("Deployment", "web", "shop", spec={"selector": labels}, status={"replicas": replicas})
    with serving(
        lambda h: h.say(200, web if "/web" in h.path else {"kind": "List", "metadata": {}, "items": []})
    ) as s:
        session = Session(client(s.url), "shop", cached=cached)
        assert any(
            isinstance(f, Below) for f in list_below(session, Want(Below, Ref("Deployment", "shop", "web")))
        )
        lists = [r for r in session.client.requests if "labelSelector" in r]
        assert len(lists) == 2 and {"resourceVersion=0" in r for r in lists} == {from_cache}


def test_who_listens_may_come_later_than_the_scan_begins(tmp_path: Path) -> None:
    listens, told = threading.Event(), list[tuple[int, int]]()

    def before(handler: Handler, _path: str) -> bool:
        if "/default/pods?" in handler.path:
            listens.wait(SECONDS)
        return False

    with small(Small([*make_healthy_cluster(), make_pod_with_map("web-1", "default")], before), tmp_path) as (
        _,
        kubeconfig,
    ):
        collector = KubeCollector(load_client(kubeconfig=str(kubeconfig)))
        begun = BackgroundCall(lambda: collector.list_unhealthy(None))
        collector.on_progress(lambda pods, ill: told.append((pods, ill)))
        listens.set()
        begun.wait()
    assert told == [(2, 1)]


def test_of_a_namespace_that_is_going_only_types_are_listed_of_which_something_was_seen_there(
    tmp_path: Path,
) -> None:
    old = {
        **make_object("Namespace", "old", meta={"deletionTimestamp": LONG_AGO}),
        "status": {"phase": "Terminating"},
    }
    left = make_object("ConfigMap", "left", "old", meta=GOING)
    cluster = Small([*make_healthy_cluster(), old, left, make_object("Gadget", "elsewhere", "default")])
    want = Want(Contents, Ref("Namespace", None, "old"))
    with small(cluster, tmp_path) as (_, kubeconfig):
        alone = [*KubeCollector(load_client(kubeconfig=str(kubeconfig))).collect([want])]
        all_types = {path for path, _ in cluster.asked if "/namespaces/old/" in path}
        cluster.asked.clear()
        collector = KubeCollector(load_client(kubeconfig=str(kubeconfig)))
        collector.list_unhealthy(None)
        cluster.asked.clear()
        after = [*collector.collect([want])]
        few = {path for path, _ in cluster.asked if "/namespaces/old/" in path}
    assert [f.items for f in after if isinstance(f, Contents)] == [
        f.items for f in alone if isinstance(f, Contents)
    ]
    unseen = {"/api/v1/namespaces/old/services", "/apis/things.example.com/v1/namespaces/old/gadgets"}
    assert "/api/v1/namespaces/old/configmaps" in few and unseen <= all_types - few


def test_who_listens_only_once_all_pods_were_counted_is_told_their_number(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with small(Small([*make_healthy_cluster(), make_pod_with_map("web-1", "default")]), tmp_path) as (
        _,
        kubeconfig,
    ):
        collector = KubeCollector(load_client(kubeconfig=str(kubeconfig)))
        collector.list_unhealthy(None)
        collector.on_progress(lambda pods, ill: told.append((pods, ill)))
    assert [ill for _, ill in told] == [1]
