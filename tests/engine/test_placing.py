"""The placing of a waiting Pod, from the objects to the printed answer; unreadable parts are named and never
count as a fit.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.scheduling.make import Obj, make_container, make_node, make_pod
from tests.scheduling.volumes import make_claim, use_claims
from unstuck.collect.objects import facts_of
from unstuck.collect.objects.placing import read_placing
from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.diagnosis.placing import Placing
from unstuck.engine import diagnose, list_causes
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot
from unstuck.render.json import write_json
from unstuck.render.text import write_text
from unstuck.render.words import Lang

NOW = datetime(2026, 11, 21, 1, tzinfo=UTC)
POD = Ref("Pod", "default", "p", "uid-p")


def answer(wanted: Obj, *nodes: Obj, said: str = "", pods: tuple[Obj, ...] = (), **more: Any) -> Diagnosis:
    """Return the whole answer about a Pod waiting for an hour. said: the scheduler's condition."""
    refused = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": said}
    waits: Obj = {
        **wanted,
        "metadata": {**wanted["metadata"], "creationTimestamp": "2026-11-21T00:00:00Z"},
        "status": {**wanted["status"], "phase": "Pending", "conditions": [refused] if said else []},
        "apiVersion": "v1",
        "kind": "Pod",
    }
    inputs = read_placing(
        {"nodes": list(nodes), "pods": [*pods, waits], "namespaces": [], **more}, Source("/api/v1/nodes")
    )
    snap = Snapshot([inputs, *facts_of(waits, "/api/v1/namespaces/default/pods/p")], NOW)
    return diagnose(POD, snap, list_causes())


def placing(d: Diagnosis) -> Placing:
    assert d.whereto is not None and d.whereto.of == POD
    return d.whereto.placing


def printed(d: Diagnosis, lang: Lang = "en") -> str:
    return " ".join(write_text(Answer(NOW, (), (d,)), lang, 200, False).split())


def told(d: Diagnosis) -> dict[str, str]:
    return {c.id: c.confidence for c in d.causes}


def affinity(*lines: Obj) -> Obj:
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": list(lines)}]
            }
        }
    }


def test_groups_the_nearest_first_with_changes_holders_and_preemption() -> None:
    busy = make_pod("q", on="near", containers=[make_container(cpu="3")])
    busy["metadata"]["ownerReferences"] = [{"kind": "ReplicaSet", "name": "web", "controller": True}]
    nodes = (
        make_node("near"),
        make_node("far", cpu="1", taints=("k=:NoSchedule",)),
        make_node("off", cordoned=True, taints=("k=:NoSchedule",)),
    )
    said = (
        "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), 1 node(s) were "
        "unschedulable."
    )
    d = answer(make_pod(containers=[make_container(cpu="3")]), *nodes, said=said, pods=(busy,))
    found = placing(d)
    assert (found.nodes, found.fits, found.agrees) == (3, (), True)
    assert [c.nodes for c in found.closed] == [("near",), ("far",), ("off",)]
    assert (
        found.closed[0].barriers[0].kind == "insufficient-cpu"
        and found.closed[0].barriers[0].quote == "Insufficient cpu"
    )
    assert [(h.owner.name, h.shown, h.pods) for h in found.holders] == [("web", "3 CPU", 1)]
    assert ("request", ("near",)) in [(o.kind, o.opens) for o in found.openings]
    assert told(d) == {"scheduling.insufficient-cpu": "proven"}
    shown = printed(d)
    assert "NODES 1 of 3: 1 CPU free, the Pod asks for 3 CPU near" in shown
    assert "asking for at most cpu: 1 (2 CPU less): fits on 1 (near)" in shown
    assert "HELD BY ReplicaSet default/web: 3 CPU in 1 Pods" in shown
    document = json.loads(write_json(Answer(NOW, (), (d,))))["diagnoses"][0]["placing"]
    assert (
        document["nodes"] == 3 and document["agrees"] is True and document["closed"][0]["nodes"] == ["near"]
    )
    assert {"en", "zh"} == set(document["preemption"])


def test_a_pod_that_fits_by_now_is_told_where() -> None:
    d = answer(make_pod(), make_node("a"), said="0/1 nodes are available: 1 node(s) were unschedulable.")
    assert placing(d).fits == ("a",) and placing(d).openings == () and placing(d).agrees is False
    assert "it fits now on a" in printed(d)


def test_the_scheduler_s_other_words_are_told_as_a_difference_and_prove_nothing() -> None:
    d = answer(
        make_pod(containers=[make_container(cpu="9")]),
        make_node("a"),
        said="0/2 nodes are available: 1 Insufficient cpu, 1 Insufficient memory.",
    )
    assert placing(d).agrees is False and "proven" not in told(d).values()


def test_without_nodes() -> None:
    assert placing(answer(make_pod(), said="no nodes available to schedule pods")).nodes == 0


def test_more_groups_than_a_screen_has_are_counted() -> None:
    nodes = [make_node(f"n{i}", cordoned=True, taints=(f"k{i}=:NoSchedule",)) for i in range(6)]
    d = answer(make_pod(), *nodes, said="0/6 nodes are available: 6 node(s) were unschedulable.")
    assert len(placing(d).closed) == 6 and "4 more Nodes for 4 other sets of reasons" in printed(d)


IN, NOT_IN = ({"key": "a", "operator": o, "values": ["x"]} for o in ("In", "NotIn"))
NEAR = {"key": "a", "operator": "Near", "values": ["x"]}
NO_MATCH = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
UNBOUND = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"


@pytest.mark.parametrize(
    ("d", "words", "words_zh", "proven"),
    [
        (
            answer(
                make_pod(containers=[make_container(cpu="lots")]),
                make_node("a"),
                said="0/1 nodes are available: 1 Insufficient cpu.",
            ),
            "spec.containers[c].resources.requests.cpu: 'lots' is no quantity",
            "'lots'",
            "",
        ),
        (
            answer(
                make_pod(containers=[make_container(memory="1Gi")]),
                make_node("a", memory="8GB?"),
                said="0/1 nodes are available: 1 Insufficient memory.",
            ),
            "status.allocatable.memory: '8GB?' is no quantity",
            "'8GB?'",
            "",
        ),
        (
            answer(make_pod(affinity=affinity(IN, NOT_IN)), make_node("a"), said=NO_MATCH),
            "nodeSelectorTerms[0] contradicts itself: nothing meets a=x, a notin (x) together",
            "自相矛盾",
            "scheduling.node-affinity-mismatch",
        ),
        (
            answer(make_pod(affinity=affinity(NEAR)), make_node("a"), said=NO_MATCH),
            "cannot be compiled, so it matches no Node",
            "无法解析",
            "scheduling.node-affinity-mismatch",
        ),
        (
            answer(make_pod(volumes=use_claims("data")), make_node("a"), said=UNBOUND, pvcs=[make_claim()]),
            "PVC data names StorageClass fast, which does not exist",
            "StorageClass fast 不存在",
            "storage.claim-unbound",
        ),
        (
            answer(
                make_pod(volumes=use_claims("data")),
                make_node("a"),
                said='0/1 nodes are available: persistentvolume "pv" not found. not found',
                pvcs=[make_claim(to="pv")],
            ),
            "volume pv of PVC data does not exist",
            "卷 pv 不存在",
            "storage.volume-missing",
        ),
        (
            answer(
                make_pod(volumes=use_claims("data")),
                make_node("a"),
                said='0/1 nodes are available: persistentvolumeclaim "data" not found. not found',
            ),
            "PVC data of the Pod does not exist",
            "PVC data 不存在",
            "storage.claim-missing",
        ),
        (
            answer(
                make_pod(containers=[make_container(cpu="1")]),
                {"metadata": {"name": "a"}},
                said="0/1 nodes are available: 1 Insufficient cpu, 1 Too many pods.",
            ),
            "has no status yet, so offers nothing",
            "尚无状态",
            "scheduling.node-not-ready-taint",
        ),
    ],
    ids=["request", "allocatable", "contradiction", "operator", "class", "volume", "claim", "status"],
)
def test_bad_input_is_named_and_is_no_fit(d: Diagnosis, words: str, words_zh: str, proven: str) -> None:
    assert placing(d).fits == ()
    assert words in printed(d) and words_zh in printed(d, "zh")
    assert [i for i, confidence in told(d).items() if confidence == "proven"] == ([proven] if proven else [])
