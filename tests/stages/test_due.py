"""An object that reports itself healthy is not, once it has expired, its starts have stopped, or one of its
workloads is down.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.stages.test_referred import asked, made
from unstuck.facts.aspects.references import Owned
from unstuck.facts.core import Ref, Source

_READY = {"type": "Ready", "status": "True", "reason": "Ok", "lastTransitionTime": "2026-11-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("field", "at", "state"),
    [
        ("notAfter", "2026-11-20T00:00:00Z", "stuck"),
        ("notAfter", "2026-12-20T00:00:00Z", "fine"),
        ("expiresAt", "2026-11-20T00:00:00Z", "stuck"),
        ("validUntil", "2026-11-20T00:00:00Z", "stuck"),
        ("startedAt", "2026-11-20T00:00:00Z", "fine"),
        ("notAfter", "soon", "fine"),
    ],
)
def test_what_has_outlived_its_time_is_not_well(field: str, at: str, state: str) -> None:
    one = made(
        "things.example.com/v1", "Pass", "p", spec={"a": 1}, status={field: at, "conditions": [_READY]}
    )
    found = asked(one).state
    assert found.name == state and (f"status.{field}" in found.headline.en) is (state == "stuck")


@pytest.mark.parametrize(
    ("schedule", "last", "state"),
    [
        ("0 8 * * *", "2026-11-20T08:00:00Z", "fine"),
        ("0 8 * * *", "2026-11-10T08:00:00Z", "stuck"),
        ("0 8 * * 1-5", "2026-11-20T08:00:00Z", "fine"),
        ("0 8 * * 1-5", "2026-11-10T08:00:00Z", "stuck"),
        ("0 8 * * 1", "2026-10-10T08:00:00Z", "stuck"),
        ("@hourly", "2026-11-15T08:00:00Z", "stuck"),
        ("0 8 1 3 *", "2026-03-01T08:00:00Z", "fine"),
        ("0 8 30 2 *", "2026-03-01T08:00:00Z", "stuck"),
    ],
)
def test_a_cron_job_that_no_longer_starts_is_not_well(schedule: str, last: str, state: str) -> None:
    one = made(
        "batch/v1",
        "CronJob",
        "c",
        spec={"schedule": schedule, "suspend": False},
        status={"lastScheduleTime": last},
    )
    found = asked(one).state
    assert found.name == state and not found.unjudged
    held = made(
        "batch/v1",
        "CronJob",
        "c",
        spec={"schedule": schedule, "suspend": True},
        status={"lastScheduleTime": last},
    )
    assert asked(held).state.name == "held"


def workload(kind: str, ready: int) -> dict[str, Any]:
    down = {
        "type": "Available",
        "status": "False",
        "reason": "MinimumReplicasUnavailable",
        "lastTransitionTime": "2026-11-20T00:00:00Z",
    }
    status = {
        "observedGeneration": 1,
        "replicas": 2,
        "updatedReplicas": 2,
        "readyReplicas": ready,
        "conditions": [down],
    }
    return made("apps/v1", kind, "g-app", spec={"replicas": 2}, status=status)


@pytest.mark.parametrize(
    ("kind", "ready", "state"),
    [("Deployment", 0, "stuck"), ("Deployment", 2, "fine"), ("StatefulSet", 1, "stuck")],
)
def test_a_resource_is_not_well_while_a_workload_that_it_made_is_down(
    kind: str, ready: int, state: str
) -> None:
    one = made("things.example.com/v1", "Gadget", "g", spec={"a": 1}, status={"conditions": [_READY]})
    owned = Owned(
        about=Ref("Gadget.things.example.com", "shop", "g"),
        src=Source("/apis/x"),
        refs=(Ref(kind, "shop", "g-app"),),
    )
    assert [w.fact for w in asked(one).state.wants if w.fact is Owned] == [Owned]
    found = asked(one, workload(kind, ready), facts=(owned,)).state
    assert found.name == state and ("which it made, is not well" in found.headline.en) is (state == "stuck")


@pytest.mark.parametrize(
    ("name", "state"),
    [("db.data.svc.cluster.local", "stuck"), ("db.data.svc", "stuck"), ("db.example.com", "fine")],
)
def test_a_service_that_stands_for_one_of_the_cluster_needs_it(name: str, state: str) -> None:
    one = made(
        "v1",
        "Service",
        "alias",
        spec={"type": "ExternalName", "externalName": name},
        status={"loadBalancer": {}},
    )
    assert asked(one, gone=(Ref("Service", "data", "db"),)).state.name == state
