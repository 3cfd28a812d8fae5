"""Statuses with a kind-specific meaning: Services, CronJobs, and others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stages.shapes import AGO, NOW, asked, make_condition, make_status, shape
from unstuck.collect.objects import facts_of
from unstuck.collect.objects.kinds import ref_of
from unstuck.engine import diagnose, list_causes
from unstuck.facts.aspects.cluster import Backends
from unstuck.facts.aspects.objects import Below, Event, Events
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot


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
                make_status(
                    make_condition("DisruptionAllowed", "False"),
                    currentHealthy=1,
                    desiredHealthy=2,
                    expectedPods=3,
                ),
            ),
            "stuck",
            "status.currentHealthy: 1 of 2",
        ),
        (
            shape(
                "policy/v1",
                "PodDisruptionBudget",
                make_status(
                    make_condition("DisruptionAllowed", "False"),
                    currentHealthy=2,
                    desiredHealthy=2,
                    expectedPods=2,
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
                "certificates.k8s.io/v1",
                "CertificateSigningRequest",
                make_status(make_condition("Approved")),
                request="x",
            ),
            "stuck",
            "has no status.certificate",
        ),
        (
            shape(
                "certificates.k8s.io/v1",
                "CertificateSigningRequest",
                make_status(make_condition("Denied")),
                request="x",
            ),
            "stuck",
            "Denied=True",
        ),
        (
            shape(
                "certificates.k8s.io/v1",
                "CertificateSigningRequest",
                make_status(make_condition("Approved"), certificate="LS0t"),
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
                make_status(
                    make_condition("NamesAccepted", "False", "ListKindConflict"),
                    make_condition("Established", "False"),
                ),
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
                make_status(
                    make_condition("Progressing", "False", "ProgressDeadlineExceeded"),
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
    """Return one of a CronJob's Jobs."""
    status = (
        make_status(make_condition(condition, reason="BackoffLimitExceeded"))
        if condition
        else {"active": 1, "ready": 1}
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
        shape("batch/v1", "CronJob", {"lastScheduleTime": AGO}, schedule="@yearly"), "/apis/x", NOW
    )
    answer = diagnose(cron, Snapshot([*facts, below, *(f for of_one in jobs for f in of_one)], NOW), ())
    assert answer.state.name == state


def test_a_cron_job_that_waits_for_its_own_run_says_so() -> None:
    cron = Ref("CronJob", "shop", "x", "u-1")
    again = Event(
        "JobAlreadyActive", "Not starting job because prior execution is running", warning=False, count=9
    )
    facts = facts_of(
        shape("batch/v1", "CronJob", {"lastScheduleTime": AGO}, schedule="@yearly"), "/apis/x", NOW
    )
    state = diagnose(
        cron, Snapshot([*facts, Events(about=cron, src=Source("/api/v1/events"), items=(again,))], NOW), ()
    ).state
    assert (state.name, "Forbid" in state.headline.en) == ("stuck", True)
