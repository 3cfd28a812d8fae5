"""Held or healthy objects with broken parts: the exit status, and the extent of the questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_named import SPACE, ask, crashing, deployment, roots, told
from tests.kube import small as server
from tests.kube.small import LONG_AGO, make_object, make_pod

Err = pytest.CaptureFixture[str]
Doc = dict[str, Any]
LABELS = {"app": "quote"}


def owned_by(kind: str, name: str) -> list[Doc]:
    return [
        {
            "apiVersion": "apps/v1",
            "kind": kind,
            "name": name,
            "uid": f"uid-{kind}-{name}".lower(),
            "controller": True,
        }
    ]


def replicas(name: str, count: int) -> Doc:
    """Return a ReplicaSet of Deployment `quote`."""
    spec = {"replicas": count, "selector": {"matchLabels": LABELS}}
    return make_object(
        "ReplicaSet",
        name,
        SPACE,
        meta={"labels": LABELS, "ownerReferences": owned_by("Deployment", "quote")},
        spec=spec,
        status={},
    )


def failed(name: str, **meta: Any) -> Doc:
    """Return an evicted Pod that was not deleted."""
    one = make_pod(name, SPACE, labels=LABELS, **meta)
    one["status"] = {
        "phase": "Failed",
        "reason": "Evicted",
        "message": "The node was low on resource: memory. ",
    }
    return one


def test_what_is_paused_is_asked_for_what_is_broken_in_it(tmp_path: Path, capsys: Err) -> None:
    paused = deployment(
        "quote", 2, LABELS, replicas=3, updatedReplicas=1, readyReplicas=2, availableReplicas=2
    )
    paused["spec"]["paused"] = True
    old = [
        make_pod(f"quote-1-{n}", SPACE, labels=LABELS, ownerReferences=owned_by("ReplicaSet", "quote-1"))
        for n in "ab"
    ]
    new = crashing("quote-2-c", labels=LABELS, ownerReferences=owned_by("ReplicaSet", "quote-2"))
    objects = [paused, replicas("quote-1", 2), replicas("quote-2", 1), *old, new]
    lines = {"quote-2-c": "flag provided but not defined: -cache-ttl"}
    status, answer, _ = ask(objects, tmp_path, capsys, "deploy/quote", lines=lines)
    assert (status, answer["state"], roots(answer)) == (1, "held", ["program.option-unknown"])


@pytest.mark.parametrize(("ready", "broken"), [(1, False), (0, True)])
def test_a_pod_that_was_made_up_for_is_no_trouble(
    ready: int, broken: bool, tmp_path: Path, capsys: Err
) -> None:
    above = deployment(
        "quote", 1, LABELS, replicas=1, updatedReplicas=1, readyReplicas=ready, availableReplicas=ready
    )
    left = failed("quote-1-a", ownerReferences=owned_by("ReplicaSet", "quote-1"))
    objects = [above, replicas("quote-1", 1), left]
    if ready:
        objects.append(
            make_pod("quote-1-b", SPACE, labels=LABELS, ownerReferences=owned_by("ReplicaSet", "quote-1"))
        )
    status, answer, _ = ask(objects, tmp_path, capsys, "deploy/quote")
    assert (answer["state"] == "fine") is not broken
    assert (status, "container.evicted" in told(answer)) == (int(broken), broken)


def test_a_trouble_of_its_own_comes_before_what_it_refers_to(
    tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        server.KINDS, "horizontalpodautoscalers", ("HorizontalPodAutoscaler", "autoscaling/v2", True)
    )
    monkeypatch.setitem(server.KINDS, "apiservices", ("APIService", "apiregistration.k8s.io/v1", False))
    message = (
        "pods by selector app=quote are controlled by multiple HPAs: [default/quote default/quote-memory]"
    )
    stops = {
        "type": "ScalingActive",
        "status": "False",
        "reason": "AmbiguousSelector",
        "message": message,
        "lastTransitionTime": LONG_AGO,
    }
    spec = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "quote"},
        "maxReplicas": 3,
        "metrics": [
            {
                "type": "Resource",
                "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}},
            }
        ],
    }
    scaler = make_object("HorizontalPodAutoscaler", "quote", SPACE, spec=spec, status={"conditions": [stops]})
    target = deployment(
        "quote", 1, LABELS, replicas=1, updatedReplicas=1, readyReplicas=1, availableReplicas=1
    )
    status, answer, _ = ask([scaler, target], tmp_path, capsys, "hpa/quote")
    assert (status, roots(answer), answer["leads"]) == (1, ["reported.own-words"], [])
    assert "AmbiguousSelector" in answer["headline"]["en"]


def test_a_budget_names_whose_pods_have_no_scale(tmp_path: Path, capsys: Err) -> None:
    message = "jobs.batch does not implement the scale subresource"
    stops = {
        "type": "DisruptionAllowed",
        "status": "False",
        "reason": "SyncFailed",
        "message": message,
        "lastTransitionTime": LONG_AGO,
    }
    spec = {"minAvailable": "50%", "selector": {"matchLabels": LABELS}}
    budget = make_object(
        "PodDisruptionBudget",
        "quote",
        SPACE,
        spec=spec,
        status={"disruptionsAllowed": 0, "conditions": [stops]},
    )
    pods = [
        make_pod("quote-1", SPACE, labels=LABELS),
        make_pod("fill-1", SPACE, labels=LABELS, ownerReferences=owned_by("Job", "fill")),
    ]
    status, answer, _ = ask([budget, *pods], tmp_path, capsys, "pdb/quote")
    assert (status, roots(answer), answer["causes"][0]["confidence"]) == (
        1,
        ["controller.budget-without-scale"],
        "proven",
    )
    assert "Job default/fill" in answer["causes"][0]["says"]["en"] and "reported.own-words" in told(answer)
