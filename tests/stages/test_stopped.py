"""A deliberately stopped object is held, and is no fault unless broken as well."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stages.shapes import AGO, NOW, asked, make_condition, make_status, shape
from unstuck.collect.objects import facts_of
from unstuck.collect.objects.kinds import ref_of
from unstuck.engine import diagnose, list_causes
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot


def held(api: str, kind: str, status: dict[str, Any], *touched: str, **spec: Any) -> dict[str, Any]:
    """Return an object possibly stopped two hours ago."""
    obj = shape(api, kind, status, **spec)
    fields = {"f:spec": {f"f:{name}": {} for name in touched}}
    rows = (
        [{"manager": "kubectl-patch", "time": "2026-11-21T01:00:00Z", "fieldsV1": fields}] if touched else []
    )
    return obj | {"metadata": obj["metadata"] | {"managedFields": rows}}


@pytest.mark.parametrize(
    ("obj", "said"),
    [
        (
            held(
                "kustomize.toolkit.fluxcd.io/v1",
                "Kustomization",
                make_status(make_condition("Ready")),
                "suspend",
                suspend=True,
            ),
            "suspended by kubectl-patch, 2 h ago",
        ),
        (held("batch/v1", "CronJob", {"lastScheduleTime": AGO}, suspend=True), "suspended"),
        (
            held("apps/v1", "Deployment", {"observedGeneration": 3}, "replicas", replicas=0),
            "scaled to 0 by kubectl-patch",
        ),
        (
            held("batch/v1", "Job", {"ready": 0}, "parallelism", completions=12, parallelism=0),
            "set to parallelism 0 by kubectl-patch",
        ),
        (
            held(
                "apps/v1",
                "Deployment",
                {"observedGeneration": 3, "replicas": 1, "readyReplicas": 1},
                "paused",
                replicas=1,
                paused=True,
            ),
            "paused by",
        ),
        (
            held(
                "keda.sh/v1alpha1",
                "ScaledObject",
                make_status(make_condition("Ready"), make_condition("Paused")),
            ),
            "Paused=True",
        ),
        (
            held(
                "autoscaling/v2",
                "HorizontalPodAutoscaler",
                make_status(
                    make_condition("AbleToScale"), make_condition("ScalingActive", "False", "ScalingDisabled")
                ),
            ),
            "ScalingActive=False: ScalingDisabled",
        ),
    ],
)
def test_what_somebody_stopped_is_held_and_says_by_whom(obj: dict[str, Any], said: str) -> None:
    answer = asked(obj)
    assert answer.state.name == "held"
    assert said in answer.state.headline.en
    assert not answer.causes


_PAUSED = {
    "phase": "Paused",
    "message": "CanaryPauseStep",
    **make_status(
        make_condition("Available"),
        make_condition("Completed", "False"),
        make_condition("Progressing", "Unknown", "RolloutPaused"),
        make_condition("Paused", "True", "RolloutPaused"),
    ),
}


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("CanaryPauseStep", "a step of its own canary strategy"),
        ("BlueGreenPause", "its own blue-green strategy"),
    ],
)
def test_a_pause_of_its_own_strategy_is_no_fault(reason: str, said: str) -> None:
    answer = asked(
        held(
            "argoproj.io/v1alpha1",
            "Rollout",
            {**_PAUSED, "pauseConditions": [{"reason": reason}]},
            replicas=3,
        )
    )
    assert (answer.state.name, answer.causes) == ("held", ())
    assert said in answer.state.headline.en
    assert " by kubectl" not in answer.state.headline.en


def test_a_paused_rollout_whose_spec_is_invalid_is_stuck() -> None:
    rows = [
        *_PAUSED["conditions"],
        {**make_condition("InvalidSpec", "True", "InvalidSpec"), "message": "a step has no weight"},
    ]
    told = {**_PAUSED, "conditions": rows, "pauseConditions": [{"reason": "CanaryPauseStep"}]}
    answer = asked(held("argoproj.io/v1alpha1", "Rollout", told, replicas=3))
    assert (answer.state.name, [m.id for m in answer.causes]) == ("stuck", ["reported.own-words"])


@pytest.mark.parametrize("labels", [{"kueue.x-k8s.io/queue-name": "vision-gpu"}, {}])
def test_a_job_in_a_queue_is_held_by_the_queue_and_not_by_who_wrote_it(labels: dict[str, str]) -> None:
    job = held("batch/v1", "Job", {"ready": 0}, "suspend", suspend=True)
    job["metadata"]["labels"] = labels
    answer = asked(job)
    assert answer.state.name == "held"
    assert ("until Kueue admits it from queue vision-gpu" in answer.state.headline.en) is bool(labels)
    assert ("kubectl-patch" in answer.state.headline.en) is not labels or not labels


@pytest.mark.parametrize(
    ("reason", "told"), [("ScalingDisabled", []), ("FailedGetResourceMetric", ["reference.target-missing"])]
)
def test_of_an_autoscaler_whose_target_has_no_replicas_nothing_else_is_told(
    reason: str, told: list[str]
) -> None:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "booking"}
    metrics = [{"type": "Resource", "resource": {"name": "cpu"}}]
    rows = make_status(make_condition("AbleToScale"), make_condition("ScalingActive", "False", reason))
    obj = held("autoscaling/v2", "HorizontalPodAutoscaler", rows, scaleTargetRef=target, metrics=metrics)
    ref, api = ref_of(obj), Ref("APIService", None, "v1beta1.metrics.k8s.io")
    assert ref is not None
    gone = Presence(about=api, src=Source(where="/x", quote="not found", at=NOW), exists=False)
    answer = diagnose(ref, Snapshot((*facts_of(obj, "/apis/x", NOW), gone), NOW), list_causes())
    assert [m.id for m in answer.causes] == told
    assert (
        "Deployment shop/booking is scaled to 0 replicas" in answer.state.headline.en
    ) is not told or bool(told)


def test_what_is_held_and_broken_is_stuck_and_says_both() -> None:
    broken = held(
        "kustomize.toolkit.fluxcd.io/v1",
        "Kustomization",
        make_status(make_condition("Ready", "False", "BuildFailed")),
        "suspend",
        suspend=True,
    )
    state = asked(broken).state
    assert state.name == "stuck"
    assert "Ready=False" in state.headline.en and "suspended by kubectl-patch" in state.headline.en


def test_what_its_controller_was_told_to_leave_alone_is_held_and_no_fault() -> None:
    rows = make_status(
        make_condition("Synced", "False", "ReconcilePaused"), make_condition("Ready", "True", "Available")
    )
    found = asked(shape("s3.aws.example.org/v1", "Bucket", rows))
    assert (found.state.name, found.causes) == ("held", ())
