"""Mere existence is no proof of health, and a failing part is reported from any list in the status."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stages.shapes import asked, shape
from tests.stages.test_referred import NOW
from unstuck.collect.objects import facts_of
from unstuck.collect.objects.kinds import ref_of
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import diagnose, list_causes
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.protection import Users
from unstuck.facts.aspects.references import Selects
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot


def test_an_object_that_is_only_there_is_not_ticked_off() -> None:
    answer = asked(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "a", "namespace": "f", "uid": "u-1"},
            "data": {"a": "b"},
        }
    )
    assert (answer.state.name, answer.state.unjudged) == ("fine", True)
    assert answer.state.headline.en.endswith("exists and is not being deleted; nothing else of it is judged")


@pytest.mark.parametrize(("phase", "unjudged"), [("Bound", False), ("Available", False), ("Released", True)])
def test_a_phase_is_a_positive_fact(phase: str, unjudged: bool) -> None:
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "a", "uid": "u-1"},
        "status": {"phase": phase},
    }
    answer = asked(volume).state
    assert (answer.name, answer.unjudged) == ("fine", unjudged)


@pytest.mark.parametrize(
    ("status", "state"),
    [({}, "unknown"), ({"allocation": {"devices": {"results": [{"device": "gpu-0"}]}}}, "fine")],
)
def test_a_claim_for_devices_is_well_once_it_has_some(status: dict[str, Any], state: str) -> None:
    claim = shape("resource.k8s.io/v1", "ResourceClaim", status) | {
        "spec": {"devices": {"requests": [{"name": "gpu"}]}}
    }
    assert asked(claim).state.name == state


@pytest.mark.parametrize("place", ["resources", "outcome", "deeper"])
def test_a_failing_row_is_told_whatever_its_list_is_called(place: str) -> None:
    rows = [
        {
            "kind": "Ingress",
            "name": "web",
            "namespace": "f",
            "status": "SyncFailed",
            "message": "the host is taken",
        }
    ]
    status: dict[str, Any] = {"result": {place: rows}} if place == "deeper" else {place: rows}
    found = asked(shape("example.com/v1", "Widget", status))
    assert found.state.name == "stuck" and [o.message for o in found.state.own] == ["the host is taken"]
    assert [c.id for c in found.causes] == ["reported.own-words"]


@pytest.mark.parametrize(
    "status",
    [
        {"history": [{"name": "v1", "status": "failed", "message": "timed out"}]},
        {"resources": [{"kind": "Ingress", "name": "web", "status": "Synced", "message": "configured"}]},
        {"resources": [{"kind": "Ingress", "name": "web", "status": "Wobbling", "message": "who knows"}]},
        {"resources": ["failed", None, {"status": {"a": 1}, "message": "x"}, [{"status": "failed"}]]},
    ],
)
def test_a_row_of_the_past_or_of_an_unknown_word_claims_nothing(status: dict[str, Any]) -> None:
    found = asked(shape("example.com/v1", "Widget", status))
    assert found.state.name != "stuck" and not found.causes


CLAIM = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaim",
    "metadata": {"name": "gpu", "namespace": "f", "uid": "u-1", "creationTimestamp": "2026-11-21T00:00:00Z"},
    "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "a.example.com"}}]}},
}
DEVICES = Ref("ResourceClaim", "f", "gpu")


def waiting_pod(since: str) -> dict[str, Any]:
    said = "0/1 nodes are available: 1 cannot allocate all claims."
    refused = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": said,
        "lastTransitionTime": since,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "train", "namespace": "f", "uid": "u-2", "creationTimestamp": since},
        "spec": {
            "containers": [{"name": "c"}],
            "resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}],
        },
        "status": {"phase": "Pending", "conditions": [refused]},
    }


def about_the_claim(pods: tuple[dict[str, Any], ...]) -> Diagnosis:
    """Return the answer about the claim, after examining all Pods of its Namespace."""
    users = Users(
        about=DEVICES, src=Source("/pods"), refs=(), waiting=tuple(r for p in pods if (r := ref_of(p)))
    )
    told = [f for obj in (CLAIM, *pods) for f in facts_of(obj, "/x", NOW)]
    return diagnose(DEVICES, Snapshot((*told, users), NOW), list_causes())


def test_a_claim_for_devices_without_a_user_waits_for_one_however_long() -> None:
    state = about_the_claim(()).state
    assert (state.name, state.granted) == ("progressing", True) and "no Pod uses it yet" in state.headline.en


@pytest.mark.parametrize(
    ("since", "state"), [("2026-11-21T02:59:50Z", "progressing"), ("2026-11-21T01:00:00Z", "stuck")]
)
def test_a_claim_for_devices_is_stuck_as_its_pod_is(since: str, state: str) -> None:
    answer = about_the_claim((waiting_pod(since),))
    assert answer.state.name == state and "Pod f/train waits for that" in answer.state.headline.en
    assert "scheduling.dynamic-resource-unavailable" in [c.id for c in answer.causes]


def test_a_claim_for_devices_names_the_class_that_is_not_there() -> None:
    absent = Ref("DeviceClass", None, "a.example.com")
    told = [*facts_of(CLAIM, "/x", NOW), Presence(about=absent, src=Source("/x", "not found"), exists=False)]
    answer = diagnose(DEVICES, Snapshot(tuple(told), NOW), list_causes())
    assert answer.state.name == "stuck" and [(c.id, c.finding.culprit) for c in answer.causes] == [
        ("reference.target-missing", absent)
    ]


@pytest.mark.parametrize(
    ("told", "state", "unjudged"),
    [
        ({"count": 2, "names": ("web-1", "web-2")}, "fine", False),
        ({"count": 0}, "unknown", False),
        ({"count": 0, "templates": (Ref("Deployment", "f", "web"),)}, "fine", False),
        ({"count": 0, "whole": False}, "fine", True),
    ],
)
def test_a_policy_is_well_once_it_selects_somebody(told: dict[str, Any], state: str, unjudged: bool) -> None:
    meta = {"name": "deny", "namespace": "f", "uid": "u-1"}
    policy = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": meta,
        "spec": {"podSelector": {}},
    }
    ref = Ref("NetworkPolicy", "f", "deny")
    fact = Selects(about=ref, src=Source("/pods"), of="Pod", selector="app=web", **told)
    answer = diagnose(ref, Snapshot((*facts_of(policy, "/x", NOW), fact), NOW), list_causes())
    assert (answer.state.name, answer.state.unjudged) == (state, unjudged)
    assert [c.id for c in answer.causes] == (["reference.selects-nothing"] if state == "unknown" else [])


@pytest.mark.parametrize(
    ("spec", "status", "state", "says"),
    [
        (
            {"updateStrategy": {"rollingUpdate": {"partition": 2}}},
            {"updatedReplicas": 1},
            "held",
            "partition is 2",
        ),
        ({"updateStrategy": {"type": "OnDelete"}}, {"updatedReplicas": 1}, "held", "OnDelete"),
        (
            {"updateStrategy": {"rollingUpdate": {"partition": 2}}},
            {"updatedReplicas": 3},
            "fine",
            "at its desired state",
        ),
        (
            {"updateStrategy": {"rollingUpdate": {"partition": 0}}},
            {"updatedReplicas": 1},
            "fine",
            "at its desired state",
        ),
    ],
)
def test_pods_that_keep_an_older_template_on_purpose_are_told_with_the_field(
    spec: dict[str, Any], status: dict[str, Any], state: str, says: str
) -> None:
    numbers = {"replicas": 3, "readyReplicas": 3, "observedGeneration": 3, **status}
    found = asked(shape("apps/v1", "StatefulSet", numbers) | {"spec": {"replicas": 3, **spec}}).state
    assert found.name == state and says in found.headline.en


@pytest.mark.parametrize(("policy", "state"), [("Retain", "held"), ("Delete", "fine")])
def test_a_released_volume_that_is_to_be_kept_is_held(policy: str, state: str) -> None:
    volume = shape("v1", "PersistentVolume", {"phase": "Released"}) | {
        "spec": {"persistentVolumeReclaimPolicy": policy}
    }
    found = asked(volume).state
    assert found.name == state and ("Retain" in found.headline.en) is (state == "held")


def test_a_word_that_may_be_meant_so_stands_beside_the_one_for_the_whole() -> None:
    found = asked(
        shape(
            "argoproj.io/v1alpha1",
            "Application",
            {"health": {"status": "Healthy"}, "sync": {"status": "OutOfSync"}},
        )
    ).state
    assert found.name == "fine" and "OutOfSync" in found.headline.en


def test_a_claim_whose_file_system_is_yet_to_grow_says_when_it_will() -> None:
    rows = [
        {
            "type": "FileSystemResizePending",
            "status": "True",
            "message": "waiting",
            "lastTransitionTime": "2026-11-20T00:00:00Z",
        }
    ]
    status = {"phase": "Bound", "capacity": {"storage": "10Gi"}, "conditions": rows}
    claim = shape("v1", "PersistentVolumeClaim", status) | {
        "spec": {"volumeName": "v", "resources": {"requests": {"storage": "20Gi"}}}
    }
    found = asked(claim).state
    assert found.name == "progressing" and "FileSystemResizePending" in found.headline.en
