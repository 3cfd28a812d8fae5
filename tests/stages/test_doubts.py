"""Numbers, flags, times and parts of a status that speak against the object are told, whatever its kind; of
healthy objects with similar fields nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stages.shapes import AGO, HEALTHY, asked, make_condition, make_status, shape
from unstuck.facts.codec import format_time

_READY = make_condition("Ready")
_API = "acme.example/v1"
_NOUNS = st.sampled_from(["Replicas", "Nodes", "Members", "Instances", "WorkerReplicas", "MachineCount"])


def tell(status: Mapping[str, Any], kind: str = "Orchard", api: str = _API, **spec: Any) -> str:
    """Return the state of an old object, and its headline."""
    state = asked(shape(api, kind, status, **spec)).state
    return f"{state.name}: {state.headline.en}"


@given(
    noun=_NOUNS,
    have=st.integers(0, 9),
    wanted=st.integers(0, 9),
    word=st.sampled_from(["ready", "available", "healthy"]),
    prefix=st.sampled_from(["", "desired", "expected"]),
    well=st.booleans(),
    in_spec=st.booleans(),
)
def test_a_number_below_what_is_wanted_is_never_passed_over(
    noun: str, have: int, wanted: int, word: str, prefix: str, well: bool, in_spec: bool
) -> None:
    asks = prefix + noun if prefix else noun[0].lower() + noun[1:]
    status = make_status(*([_READY] if well else []), **{f"{word}{noun}": have})
    told = tell(status, **{asks: wanted}) if in_spec else tell(status | {asks: wanted})
    short = have < wanted
    assert told.startswith("unknown") is short
    assert (f"{have} of {wanted}" in told) is short


@pytest.mark.parametrize(
    ("status", "spec", "words"),
    [
        ({"unavailableReplicas": 2}, {}, "status.unavailableReplicas=2"),
        ({"degradedMachineCount": 1, "conditions": [_READY]}, {}, "status.degradedMachineCount=1"),
        ({"ready": 4, "size": 6}, {}, "status.ready: 4 of 6"),
        ({"replicas": 1}, {"replicas": 3}, "status.replicas: 1 of 3"),
        ({"current": 2, "desired": 5}, {}, "status.current: 2 of 5"),
        ({"healthy": False}, {}, "status.healthy=false"),
        ({"connected": False, "url": "x"}, {}, "status.connected=false"),
        ({"ClusterStatus": "UpdateFailed"}, {}, "status.ClusterStatus=UpdateFailed"),
        (make_status(_READY, associationStatus="Failed"), {}, "status.associationStatus=Failed"),
        ({"certStatus": "ProvisioningFailedPermanently"}, {}, "status.certStatus=Provisioning"),
        ({"cluster": {"onlineInstances": 0}}, {"instances": 3}, "status.cluster.onlineInstances: 0 of 3"),
        ({"scale": {"statusReplicas": "0/2"}}, {}, "status.scale.statusReplicas: 0 of 2"),
        (
            {"instances": [{"name": "pg", "replicas": 3, "readyReplicas": 1}]},
            {},
            "status.instances[pg].readyReplicas: 1 of 3",
        ),
        (make_status(_READY, jobStatus={"state": "FAILED"}), {}, "status.jobStatus.state=FAILED"),
        ({"peers": [{"name": "b", "status": "error"}]}, {}, "status.peers[b].status=error"),
        ({"pool_status": "Faulted", "used": 3}, {}, "status.pool_status=Faulted"),
        ({"link": {"lastObservedState": "TRANSIENT_FAILURE"}}, {}, "status.link.lastObservedState="),
        (make_status(_READY, health={"queue-1": {"status": "Failing"}}), {}, "status.health.queue-1.status="),
        (
            {"notes": 1, "auditMessages": [{"level": "ERROR", "type": {"code": "A1", "name": "NotThere"}}]},
            {},
            "status.auditMessages[A1 NotThere]=ERROR",
        ),
        (
            {"parents": [{"parentRef": {"name": "a"}, "conditions": [make_condition("Accepted")]}]},
            {"parentRefs": [{"name": "a"}, {"name": "b"}]},
            "status.parents: 1 of 2",
        ),
    ],
)
def test_what_speaks_against_it_is_quoted(status: dict[str, Any], spec: dict[str, Any], words: str) -> None:
    told = tell(status, **spec)
    assert told.startswith("unknown") and words in told


@pytest.mark.parametrize(
    ("status", "spec"),
    [
        (make_status(_READY, replicas=3, readyReplicas=3, unavailableReplicas=0), {"replicas": 3}),
        (make_status(_READY, replicas=10, readyReplicas=2, allocatedReplicas=8), {"replicas": 10}),
        (make_status(_READY, total=254, available=250), {}),
        (make_status(_READY, replicas=3, readyReplicas=3), {"replicas": 2, "maxReplicas": 10}),
        (make_status(_READY, readySeconds=3, desiredSeconds=9), {}),
        (make_status(_READY, connected=False), {}),
        (make_status(_READY, status="Failed", agent={"state": "Stopped"}), {}),
        (make_status(_READY, progress="1/3", scale={"statusReplicas": "2/2"}), {}),
        (make_status(_READY, instances=[{"name": "pg", "replicas": 3, "readyReplicas": 3}]), {"replicas": 9}),
        (make_status(_READY, unavailableSeconds=4), {}),
        (make_status(_READY, lastSync={"status": "Failed"}, history={"state": "Failed"}), {}),
        (make_status(_READY, canary={"analysisStatus": "Failed"}), {}),
        ({"phase": "Running", "nodes": {"a-1": {"phase": "Failed"}, "a-2": {"phase": "Succeeded"}}}, {}),
        (make_status(_READY, auditMessages=[{"level": "INFO", "type": {"code": "A2"}}]), {}),
        (make_status(_READY, lastSyncTime="2026-11-21T01:00:00Z"), {"interval": "1h"}),
        (make_status(_READY, lastSyncTime=AGO), {"refreshInterval": "0"}),
        (make_status(_READY, refreshTime=AGO), {"refreshInterval": "1h", "refreshPolicy": "CreatedOnce"}),
        (make_status(_READY, lastUpdateTime=AGO, artifact={"lastUpdateTime": AGO}), {"interval": "5m"}),
        (make_status(_READY, lastSyncTime=AGO), {"retryInterval": "5m"}),
        (make_status(_READY, lastBackup="2026-11-15T02:00:00Z"), {"schedule": "0 2 * * 0"}),
        (make_status(_READY, nextRunTime="2026-11-22T02:00:00Z"), {}),
    ],
)
def test_similar_fields_of_healthy_objects_are_no_doubt(status: dict[str, Any], spec: dict[str, Any]) -> None:
    assert tell(status, **spec).startswith("fine")


@pytest.mark.parametrize(
    ("status", "spec", "words"),
    [
        (
            {"refreshTime": "2026-11-20T02:00:00Z"},
            {"refreshInterval": "1h"},
            "its spec.refreshInterval is 1h",
        ),
        ({"lastResync": "2026-11-20T02:00:00Z"}, {"resyncPeriod": "5m"}, "its spec.resyncPeriod is 5m"),
        ({"lastSyncTime": "2026-11-20T02:00:00Z"}, {"syncPeriod": "5m"}, "its spec.syncPeriod is 5m"),
        (
            {"lastScheduledTime": "2026-11-19T02:00:00Z"},
            {"schedule": "0 * * * *"},
            "spec.schedule is 0 * * * *",
        ),
        ({"nextRunTime": "2026-11-20T02:00:00Z"}, {}, "its status.nextRunTime was"),
        ({"renewalTime": "2026-11-20T02:00:00Z"}, {}, "its status.renewalTime was"),
    ],
)
@pytest.mark.parametrize("well", [True, False])
def test_what_no_longer_acts_by_its_own_plan_is_told(
    status: dict[str, Any], spec: dict[str, Any], words: str, well: bool
) -> None:
    told = tell({**status, "conditions": [_READY] if well else []}, **spec)
    assert told.startswith("unknown") and words in told
    assert ("Ready=True, but" in told) is well
    assert tell({**status, "conditions": [_READY]}, suspend=True, **spec).startswith("held")


@given(
    minutes=st.integers(1, 2000),
    late=st.integers(0, 6000),
    unit=st.sampled_from(["m", "s"]),
)
def test_an_interval_is_passed_only_when_two_were_left_out(minutes: int, late: int, unit: str) -> None:
    now = datetime(2026, 11, 21, 3, tzinfo=UTC).timestamp()
    status = make_status(_READY, lastSyncTime=format_time(datetime.fromtimestamp(now - late * 60, UTC)))
    told = tell(status, interval=f"{minutes}m" if unit == "m" else f"{minutes * 60}s")
    assert told.startswith("unknown") is (late > 2 * minutes + 60)


@pytest.mark.parametrize("status", ["False", "True"])
@pytest.mark.parametrize("well", [True, False])
@pytest.mark.parametrize(
    ("field", "part"),
    [
        ("bindings", [{"name": "k8s", "conditions": [{}]}]),
        ("diskStatus", {"disk-1": {"conditions": [{}]}}),
    ],
)
def test_a_part_that_is_not_well_is_told(status: str, well: bool, field: str, part: Any) -> None:
    rows = part if isinstance(part, list) else list(part.values())
    rows[0]["conditions"] = [make_condition("Accepted", status, "NoRoom")]
    told = tell({"conditions": [_READY] if well else [], field: part})
    if status == "True":
        assert told.startswith("fine") and "Accepted" not in told
    else:
        assert told.startswith("unknown" if well else "stuck") and "Accepted=False" in told


def test_what_is_held_and_broken_says_both() -> None:
    told = tell({"readyReplicas": 1, "replicas": 3, "phase": "Active"}, suspend=True)
    assert told.startswith("held") and "suspended; and it reports status.readyReplicas 1 of 3" in told


@pytest.mark.parametrize(
    ("strategy", "status", "name"),
    [
        ("Always", "Stopped", "unknown"),
        ("Halted", "Stopped", "held"),
        ("Always", "Running", "unknown"),
    ],
)
def test_a_machine_that_is_off_on_purpose_is_held(strategy: str, status: str, name: str) -> None:
    gone = make_condition("Ready", "False", "VMINotExists")
    machine = make_status(gone, printableStatus=status)
    assert tell(machine, "VirtualMachine", "kubevirt.io/v1", runStrategy=strategy).startswith(name)


def builtin(api: str, kind: str, **more: Any) -> str:
    """Return the state of an old object of a built-in kind, and its headline."""
    meta = {"name": "x", "namespace": "shop", "uid": "u-1", "creationTimestamp": AGO}
    state = asked({"apiVersion": api, "kind": kind, "metadata": meta, **more}).state
    return f"{state.name}: {state.headline.en}"


@pytest.mark.parametrize(
    ("api", "kind", "more", "name", "words"),
    [
        ("v1", "ResourceQuota", {"spec": {"hard": {"pods": "5"}}}, "stuck", "status.hard"),
        (
            "v1",
            "ResourceQuota",
            {"spec": {"hard": {"pods": "9"}}, "status": {"hard": {"pods": "5"}, "used": {"pods": "1"}}},
            "unknown",
            "pods 5, spec.hard 9",
        ),
        (
            "v1",
            "ResourceQuota",
            {"spec": {"hard": {"cpu": "1"}}, "status": {"hard": {"cpu": "1000m"}, "used": {"cpu": "0"}}},
            "fine",
            "",
        ),
        (
            "discovery.k8s.io/v1",
            "EndpointSlice",
            {"endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": False}}]},
            "unknown",
            "0 of 1 ready",
        ),
        ("discovery.k8s.io/v1", "EndpointSlice", {"endpoints": [{"addresses": ["10.0.0.1"]}]}, "fine", ""),
        ("v1", "Endpoints", {"subsets": [{"notReadyAddresses": [{"ip": "10.0.0.1"}]}]}, "unknown", "0 of 1"),
        (
            "v1",
            "PersistentVolume",
            {
                "spec": {"persistentVolumeReclaimPolicy": "Delete"},
                "status": {"phase": "Released", "lastPhaseTransitionTime": AGO},
            },
            "stuck",
            "Delete it should be deleted",
        ),
        (
            "autoscaling/v2",
            "HorizontalPodAutoscaler",
            {
                "spec": {"maxReplicas": 9},
                "status": {
                    "currentReplicas": 2,
                    "desiredReplicas": 6,
                    "lastScaleTime": AGO,
                    "conditions": [make_condition("ScalingActive")],
                },
            },
            "stuck",
            "status.currentReplicas: 2 of 6",
        ),
        (
            "coordination.k8s.io/v1",
            "Lease",
            {"spec": {"holderIdentity": "a-1", "leaseDurationSeconds": 15, "renewTime": AGO}},
            "unknown",
            "a-1 has not renewed it",
        ),
        (
            "coordination.k8s.io/v1",
            "Lease",
            {"spec": {"holderIdentity": "", "leaseDurationSeconds": 1, "renewTime": AGO}},
            "fine",
            "",
        ),
        (
            "networking.k8s.io/v1",
            "Ingress",
            {
                "spec": {"ingressClassName": "edge"},
                "status": {
                    "loadBalancer": {
                        "ingress": [{"ip": "192.0.2.1", "ports": [{"port": 443, "error": "NoCertificate"}]}]
                    }
                },
            },
            "stuck",
            "443/TCP: NoCertificate",
        ),
    ],
)
def test_built_in_kinds_say_it_in_their_own_fields(
    api: str, kind: str, more: dict[str, Any], name: str, words: str
) -> None:
    told = builtin(api, kind, **more)
    assert told.startswith(name) and words in told


@pytest.mark.parametrize(
    ("updated", "strategy", "name"),
    [(1, "RollingUpdate", "unknown"), (4, "RollingUpdate", "fine"), (1, "OnDelete", "held")],
)
def test_a_rolling_update_that_does_not_go_on_is_told(updated: int, strategy: str, name: str) -> None:
    counts = dict.fromkeys(("desiredNumberScheduled", "currentNumberScheduled", "numberReady"), 4)
    told = builtin(
        "apps/v1",
        "DaemonSet",
        spec={"updateStrategy": {"type": strategy}, "selector": {}, "template": {}},
        status={**counts, "updatedNumberScheduled": updated},
    )
    assert told.startswith(name)


@pytest.mark.parametrize(
    ("succeeded", "active", "name"),
    [
        ("2026-11-01T00:00:00Z", [], "unknown"),
        ("2026-11-21T01:02:00Z", [], "fine"),
        ("2026-11-01T00:00:00Z", [{"name": "c-1"}], "fine"),
    ],
)
def test_runs_of_which_none_succeeds_are_told(
    succeeded: str, active: list[dict[str, str]], name: str
) -> None:
    status = {"lastScheduleTime": "2026-11-21T02:00:00Z", "lastSuccessfulTime": succeeded, "active": active}
    told = builtin("batch/v1", "CronJob", spec={"schedule": "0 * * * *"}, status=status)
    assert told.startswith(name)


_CUSTOM = [o for o in HEALTHY if "." in o["apiVersion"].partition("/")[0] and "spec" in o]


@pytest.mark.parametrize("obj", _CUSTOM, ids=lambda o: f"{o['kind']}.{o['apiVersion']}")
@pytest.mark.parametrize(
    "more",
    [
        {"readyWidgets": 1, "widgets": 3},
        {"unavailableWidgets": 2},
        {"widgetStatus": "SyncFailed"},
        {"widgets": {"a": {"state": "Degraded"}}},
        {"widgets": [{"name": "a", "conditions": [make_condition("Ready", "False", "NoRoom")]}]},
    ],
    ids=lambda m: next(iter(m)),
)
def test_no_healthy_object_stays_fine_beside_what_speaks_against_it(
    obj: dict[str, Any], more: dict[str, Any]
) -> None:
    answer = asked(obj | {"status": {**obj["status"], **more}})
    assert answer.state.name in ("unknown", "stuck", "held", "progressing")
    assert "idget" in answer.state.headline.en
