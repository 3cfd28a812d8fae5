"""Nothing that says of itself that it is not well is called fine, nothing is claimed of the healthy, and
no input is too odd.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stages.shapes import AGO, HEALTHY, c, conditions, shape
from unstuck.collect.objects import facts_of
from unstuck.collect.objects.kinds import ref_of
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import diagnose, list_causes
from unstuck.facts.aspects.cluster import Backends
from unstuck.facts.aspects.objects import Below, Event, Events, Presence
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot
from unstuck.knowledge.conditions import MEANINGS
from unstuck.knowledge.status_words import STATUS_WORDS

NOW = datetime(2026, 11, 21, 3, 0, 0, tzinfo=UTC)


def asked(obj: dict[str, Any]) -> Diagnosis:
    """The answer about one object, of which nothing else is known."""
    ref = ref_of(obj)
    assert ref is not None
    return diagnose(ref, Snapshot(facts_of(obj, "/apis/x", NOW), NOW), list_causes())


@pytest.mark.parametrize("obj", HEALTHY, ids=lambda o: f"{o['kind']}.{o['apiVersion']}")
def test_of_the_healthy_nothing_is_claimed(obj: dict[str, Any]) -> None:
    answer = asked(obj)
    assert (answer.state.name, answer.causes, answer.state.own) == ("fine", (), ())


_ILL = [
    (kind, t)
    for m in MEANINGS
    if m.true == "ill"
    for kind in m.kinds or ("Widget.example.com",)
    for t in m.types
]
_WELL = st.sampled_from(["Ready", "Available", "Succeeded", "Synced", "Completed"])
_ANY = st.builds(
    c,
    st.sampled_from(["Ready", "Stalled", "Progressing", "Mangled", "BackupFailed", "Paused", ""])
    | st.text(max_size=8),
    st.sampled_from(["True", "False", "Unknown", "", "yes"]),
)


@pytest.mark.parametrize(
    ("kind", "type_"), [(k, t) for k, t in _ILL if "." in k or k == "HorizontalPodAutoscaler"]
)
@given(others=st.lists(st.builds(c, _WELL) | _ANY, max_size=4), place=st.integers(0, 4))
def test_what_is_known_to_be_bad_is_stuck_whatever_stands_beside_it(
    kind: str, type_: str, others: list[dict[str, str]], place: int
) -> None:
    name, _, group = kind.partition(".")
    rows = [*others[:place], c(type_, reason="Because", message="the disk is on fire"), *others[place:]]
    answer = asked(shape(f"{group}/v1", name, conditions(*rows)))
    assert answer.state.name == "stuck"
    assert any(o.message == "the disk is on fire" for o in answer.state.own)


@given(
    type_=st.text(min_size=1, max_size=12),
    status=st.sampled_from(["True", "False", "Unknown", ""]),
    reason=st.text(max_size=8),
)
def test_of_an_unknown_type_nothing_is_claimed(type_: str, status: str, reason: str) -> None:
    known = {t for m in MEANINGS for t in m.types}
    answer = asked(shape("example.com/v1", "Widget", conditions(c(f"x{type_}q", status, reason))))
    assert type_ in known or answer.state.name == "unknown"
    assert not answer.causes


@given(
    status=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=6),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "conditions",
                        "phase",
                        "type",
                        "status",
                        "message",
                        "health",
                        "error",
                        "listeners",
                        "observedGeneration",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
    spec=st.dictionaries(
        st.sampled_from(["suspend", "paused", "replicas", "running"]),
        st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    ),
)
def test_no_status_is_too_odd_to_be_read(status: object, spec: dict[str, object]) -> None:
    obj = shape("example.com/v1", "Widget", {}) | {"status": status, "spec": spec}
    assert asked(obj).state.headline.en


@pytest.mark.parametrize("word", sorted(w for row in STATUS_WORDS if row.tone == "ill" for w in row.words))
def test_a_phase_that_is_known_to_be_bad_is_stuck(word: str) -> None:
    answer = asked(shape("example.com/v1", "Widget", {"phase": word, "message": "no room"}))
    assert answer.state.name == "stuck"
    assert [o.message for o in answer.state.own] == ["no room"]


@pytest.mark.parametrize(
    ("obj", "state", "said"),
    [
        # A short while is given to what may become well, none to what has failed.
        (
            shape(
                "e.com/v1", "W", conditions(c("Ready", "False", lastTransitionTime="2026-11-21T02:59:30Z"))
            ),
            "progressing",
            "Ready=False",
        ),
        (
            shape("e.com/v1", "W", conditions(c("Ready", "False", "NoRoom"))),
            "stuck",
            "Ready=False for 25 h: NoRoom",
        ),
        (
            shape("e.com/v1", "W", conditions(c("Stalled", lastTransitionTime="2026-11-21T02:59:59Z"))),
            "stuck",
            "Stalled=True",
        ),
        # It says that it is at work; not well for minutes, it may be stuck.
        (
            shape(
                "e.com/v1",
                "W",
                conditions(
                    c("Ready", "Unknown", lastTransitionTime="2026-11-21T02:55:00Z"), c("Reconciling")
                ),
            ),
            "unknown",
            "Ready=Unknown",
        ),
        (shape("e.com/v1", "W", conditions(c("Ready"), observedGeneration=2)), "unknown", "generation 3"),
        (
            shape("e.com/v1", "W", conditions(c("Ready"), c("LastBackupSucceeded", "False"))),
            "unknown",
            "LastBackupSucceeded=False",
        ),
        (
            shape("e.com/v1", "W", {"failureMessage": "instance was terminated"}),
            "stuck",
            "status.failureMessage",
        ),
        (shape("e.com/v1", "W", {"phase": "Wobbling"}), "unknown", "status.phase=Wobbling"),
        (
            shape(
                "gateway.networking.k8s.io/v1",
                "HTTPRoute",
                {"parents": [{"parentRef": {"name": "edge"}, **conditions(c("Accepted", "False"))}]},
            ),
            "stuck",
            "status.parents[edge] Accepted=False",
        ),
        (
            shape("velero.io/v1", "Backup", {"phase": "PartiallyFailed"}),
            "stuck",
            "status.phase=PartiallyFailed",
        ),
    ],
)
def test_what_an_object_says_of_itself_is_its_state(obj: dict[str, Any], state: str, said: str) -> None:
    answer = asked(obj).state
    assert answer.name == state
    assert said in answer.headline.en


def held(api: str, kind: str, status: dict[str, Any], *touched: str, **spec: Any) -> dict[str, Any]:
    """An object that somebody may have stopped two hours ago."""
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
                conditions(c("Ready")),
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
        (held("keda.sh/v1alpha1", "ScaledObject", conditions(c("Ready"), c("Paused"))), "Paused=True"),
        (
            held(
                "autoscaling/v2",
                "HorizontalPodAutoscaler",
                conditions(c("AbleToScale"), c("ScalingActive", "False", "ScalingDisabled")),
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
    **conditions(
        c("Available"),
        c("Completed", "False"),
        c("Progressing", "Unknown", "RolloutPaused"),
        c("Paused", "True", "RolloutPaused"),
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
        {**c("InvalidSpec", "True", "InvalidSpec"), "message": "a step has no weight"},
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
    rows = conditions(c("AbleToScale"), c("ScalingActive", "False", reason))
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
        conditions(c("Ready", "False", "BuildFailed")),
        "suspend",
        suspend=True,
    )
    state = asked(broken).state
    assert state.name == "stuck"
    assert "Ready=False" in state.headline.en and "suspended by kubectl-patch" in state.headline.en


def test_who_wrote_the_status_is_told_with_its_words() -> None:
    obj = shape("e.com/v1", "W", conditions(c("Ready", "False", "NoRoom", message="disk is full")))
    row = {
        "manager": "widget-operator",
        "time": AGO,
        "subresource": "status",
        "fieldsV1": {"f:status": {"f:conditions": {}}},
    }
    obj["metadata"]["managedFields"] = [row]
    assert [(o.field, o.value, o.reason, o.message, o.by) for o in asked(obj).state.own] == [
        ("condition Ready", "False", "NoRoom", "disk is full", "widget-operator")
    ]


def test_owners_in_a_circle_end_nothing() -> None:
    obj = shape("e.com/v1", "W", conditions(c("Ready", "False")))
    obj["metadata"]["ownerReferences"] = [
        {"apiVersion": "e.com/v1", "kind": "W", "name": "x", "uid": "u-1", "controller": True}
    ]
    assert asked(obj).state.name == "stuck"


@pytest.mark.parametrize(
    ("obj", "state", "said"),
    [
        (
            shape("v1", "Service", {"loadBalancer": {}}, type="LoadBalancer", ports=[{"port": 80}]),
            "stuck",
            "has no status.loadBalancer.ingress",
        ),
        (
            shape(
                "v1",
                "Service",
                {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}},
                type="LoadBalancer",
                ports=[{"port": 80}],
            ),
            "unknown",
            "its endpoints were not seen",
        ),
        (
            shape("v1", "Service", {"loadBalancer": {}}, type="ClusterIP", ports=[{"port": 80}]),
            "unknown",
            "its endpoints were not seen",
        ),
        (
            shape("networking.k8s.io/v1", "Ingress", {"loadBalancer": {}}),
            "unknown",
            "has no status.loadBalancer.ingress",
        ),
        (
            shape(
                "policy/v1",
                "PodDisruptionBudget",
                conditions(
                    c("DisruptionAllowed", "False"), currentHealthy=1, desiredHealthy=2, expectedPods=3
                ),
            ),
            "stuck",
            "status.currentHealthy: 1 of 2",
        ),
        (
            shape(
                "policy/v1",
                "PodDisruptionBudget",
                conditions(
                    c("DisruptionAllowed", "False"), currentHealthy=2, desiredHealthy=2, expectedPods=2
                ),
            ),
            "fine",
            "",
        ),
        (
            shape(
                "v1",
                "ResourceQuota",
                {"hard": {"pods": "10", "cpu": "2"}, "used": {"pods": "10", "cpu": "500m"}},
            ),
            "unknown",
            "pods 10 of 10",
        ),
        (
            shape("v1", "ResourceQuota", {"hard": {"count/pods": "0"}, "used": {"count/pods": "0"}}),
            "fine",
            "",
        ),
        (
            shape("certificates.k8s.io/v1", "CertificateSigningRequest", {}, request="x"),
            "stuck",
            "has no status.conditions",
        ),
        (
            shape(
                "certificates.k8s.io/v1", "CertificateSigningRequest", conditions(c("Approved")), request="x"
            ),
            "stuck",
            "has no status.certificate",
        ),
        (
            shape(
                "certificates.k8s.io/v1", "CertificateSigningRequest", conditions(c("Denied")), request="x"
            ),
            "stuck",
            "Denied=True",
        ),
        (
            shape(
                "certificates.k8s.io/v1",
                "CertificateSigningRequest",
                conditions(c("Approved"), certificate="LS0t"),
                request="x",
            ),
            "fine",
            "",
        ),
        (
            shape(
                "snapshot.storage.k8s.io/v1",
                "VolumeSnapshot",
                {"readyToUse": False, "error": {"message": "no driver"}},
                source={"a": "b"},
            ),
            "stuck",
            "status.error.message",
        ),
        (
            shape(
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition",
                conditions(c("NamesAccepted", "False", "ListKindConflict"), c("Established", "False")),
            ),
            "stuck",
            "ListKindConflict",
        ),
        (
            shape(
                "storage.k8s.io/v1",
                "VolumeAttachment",
                {"attached": False, "attachError": {"message": "no such disk"}},
                attacher="a",
            ),
            "stuck",
            "attachError",
        ),
        (
            shape(
                "apps/v1",
                "Deployment",
                conditions(
                    c("Progressing", "False", "ProgressDeadlineExceeded"),
                    replicas=1,
                    readyReplicas=1,
                    updatedReplicas=1,
                ),
                replicas=1,
            ),
            "stuck",
            "ProgressDeadlineExceeded",
        ),
        (
            shape(
                "apps/v1",
                "Deployment",
                {"observedGeneration": 2, "replicas": 1, "readyReplicas": 1, "updatedReplicas": 1},
                replicas=1,
            ),
            "unknown",
            "generation 3",
        ),
    ],
)
def test_what_is_particular_to_a_kind(obj: dict[str, Any], state: str, said: str) -> None:
    answer = asked(obj).state
    assert (answer.name, said in answer.headline.en) == (state, True)


@pytest.mark.parametrize(
    ("type_", "addresses", "state"),
    [
        ("LoadBalancer", [], "stuck"),
        ("LoadBalancer", [{"ip": "192.0.2.1"}], "fine"),
        ("ClusterIP", [], "fine"),
    ],
)
def test_of_a_service_with_an_endpoint_its_address_decides(
    type_: str, addresses: list[dict[str, str]], state: str
) -> None:
    obj = shape("v1", "Service", {"loadBalancer": {"ingress": addresses}}, type=type_, ports=[{"port": 80}])
    ref = ref_of(obj)
    assert ref is not None
    behind = Backends(about=ref, src=Source("/apis/x"), ready=1, total=1)
    answer = diagnose(ref, Snapshot([*facts_of(obj, "/apis/x", NOW), behind], NOW), list_causes()).state
    assert answer.name == state
    assert ("has no status.loadBalancer.ingress" in answer.headline.en) is (state == "stuck")


def run_of(minute: int, condition: str | None) -> list[Fact]:
    """One of a CronJob's Jobs."""
    status = (
        conditions(c(condition, reason="BackoffLimitExceeded")) if condition else {"active": 1, "ready": 1}
    )
    obj = shape("batch/v1", "Job", status, completions=1, parallelism=1)
    obj["metadata"] |= {"name": f"nightly-{minute}", "uid": f"u-{minute}"}
    return facts_of(obj, "/apis/x", NOW)


@pytest.mark.parametrize(
    ("runs", "state"),
    [
        (("Failed", "Complete"), "fine"),
        (("Complete", "Failed"), "stuck"),
        (("Failed", "Failed"), "stuck"),
        (("Failed", None), "fine"),
    ],
)
def test_a_cron_job_is_as_its_newest_run(runs: tuple[str | None, ...], state: str) -> None:
    jobs = [run_of(29_400_000 + n, condition) for n, condition in enumerate(runs)]
    cron = Ref("CronJob", "shop", "x", "u-1")
    refs = tuple(facts[0].about for facts in jobs)
    below = Below(about=cron, src=Source("/apis/x"), kind="Job", refs=refs)
    facts = facts_of(
        shape("batch/v1", "CronJob", {"lastScheduleTime": AGO}, schedule="* * * * *"), "/apis/x", NOW
    )
    answer = diagnose(cron, Snapshot([*facts, below, *(f for of_one in jobs for f in of_one)], NOW), ())
    assert answer.state.name == state


def test_a_cron_job_that_waits_for_its_own_run_says_so() -> None:
    cron = Ref("CronJob", "shop", "x", "u-1")
    again = Event(
        "JobAlreadyActive", "Not starting job because prior execution is running", warning=False, count=9
    )
    facts = facts_of(
        shape("batch/v1", "CronJob", {"lastScheduleTime": AGO}, schedule="* * * * *"), "/apis/x", NOW
    )
    state = diagnose(
        cron, Snapshot([*facts, Events(about=cron, src=Source("/api/v1/events"), items=(again,))], NOW), ()
    ).state
    assert (state.name, "Forbid" in state.headline.en) == ("stuck", True)


@pytest.mark.parametrize(
    ("kind", "version", "status", "state", "said"),
    [
        (
            "ValidatingAdmissionPolicy",
            "admissionregistration.k8s.io/v1",
            {
                "typeChecking": {
                    "expressionWarnings": [
                        {"fieldRef": "spec.validations[0]", "warning": "undefined field 'replica'"}
                    ]
                }
            },
            "unknown",
            "undefined field 'replica'",
        ),
        (
            "Backup",
            "velero.io/v1",
            {"validationErrors": ["no location offsite-s3"]},
            "stuck",
            "no location offsite-s3",
        ),
        ("Widget", "example.com/v1", {"lastErrors": ["the disk was full"]}, "fine", ""),
        ("Widget", "example.com/v1", {"errors": 0, "warnings": []}, "fine", ""),
    ],
)
def test_each_complaint_that_a_status_lists_is_its_own_word(
    kind: str, version: str, status: dict[str, Any], state: str, said: str
) -> None:
    found = asked(shape(version, kind, status)).state
    assert (found.name, next((o.message for o in found.own), "")) == (state, said)


def test_what_its_controller_was_told_to_leave_alone_is_held_and_no_fault() -> None:
    rows = conditions(c("Synced", "False", "ReconcilePaused"), c("Ready", "True", "Available"))
    found = asked(shape("s3.aws.example.org/v1", "Bucket", rows))
    assert (found.state.name, found.causes) == ("held", ())
