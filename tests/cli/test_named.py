"""Objects named in messages are examined: a log line, a probe, an owner, a missing object lead to the root
cause.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.kube import small as server
from tests.kube.server import Handler
from tests.kube.small import (
    LONG_AGO,
    Small,
    make_healthy_cluster,
    make_object,
    make_pod,
    make_pod_with_map,
    read_json,
    small,
)
from unstuck.cli.run import run

Err = pytest.CaptureFixture[str]
Doc = dict[str, Any]
SPACE = "default"


def logs(lines: dict[str, str]) -> Callable[[Handler, str], bool]:
    """Answer requests for the logs of these Pods, without previous runs."""

    def before(handler: Handler, path: str) -> bool:
        parts = path.strip("/").split("/")
        if parts[-1] != "log":
            return False
        previous = "previous=true" in handler.path
        handler.say(400 if previous else 200, {} if previous else f"{lines.get(parts[-2], '')}\n".encode())
        return True

    return before


def ask(
    objects: list[Doc], path: Path, capsys: Err, *args: str, lines: dict[str, str] | None = None
) -> tuple[int, Doc, Small]:
    """Return the exit status, the answer and its requests."""
    cluster = Small([*make_healthy_cluster(), *objects], before=logs(lines or {}))
    with small(cluster, path) as (_, kubeconfig):
        status = run(["why", *args, "-o", "json", "--kubeconfig", str(kubeconfig)], "unstuck")
    (answer,) = read_json(capsys.readouterr().out)["diagnoses"]
    return status, answer, cluster


def roots(answer: Doc) -> list[str]:
    return [c["id"] for c in answer["causes"] if c["consequence_of"] is None]


def told(answer: Doc) -> set[str]:
    return {c["id"] for c in answer["causes"]}


def service(name: str, **selector: str) -> Doc:
    return make_object(
        "Service",
        name,
        SPACE,
        spec={"selector": selector, "ports": [{"port": 6379, "targetPort": 6379}]},
        status={},
    )


def deployment(name: str, wanted: int, labels: Doc, **status: Any) -> Doc:
    touched = {"manager": "kubectl-scale", "time": LONG_AGO, "fieldsV1": {"f:spec": {"f:replicas": {}}}}
    spec = {
        "replicas": wanted,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}},
    }
    meta = {"generation": 1, "managedFields": [touched]}
    return make_object(
        "Deployment", name, SPACE, meta=meta, spec=spec, status={"observedGeneration": 1, **status}
    )


def unready(name: str, **meta: Any) -> Doc:
    """Return a running Pod with a failing readiness probe."""
    one = make_pod(name, SPACE, **meta)
    one["spec"]["containers"][0]["readinessProbe"] = {"exec": {"command": ["sh"]}}
    one["status"]["containerStatuses"][0] |= {"ready": False, "started": True}
    one["status"]["conditions"] = [
        {**c, "status": "False" if "Ready" in c["type"] else "True"} for c in one["status"]["conditions"]
    ]
    return one


def event(of: Doc, reason: str, message: str) -> Doc:
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    about = {
        "kind": of["kind"],
        "name": of["metadata"]["name"],
        "namespace": SPACE,
        "uid": of["metadata"]["uid"],
    }
    source = {"component": "kubelet", "host": "n-1"}
    return make_object(
        "Event",
        f"{about['name']}.{reason}".lower(),
        SPACE,
        involvedObject=about,
        reason=reason,
        message=message,
        type="Warning",
        count=5,
        lastTimestamp=at,
        source=source,
    )


def crashing(name: str, **meta: Any) -> Doc:
    one = make_pod(
        name, SPACE, "CrashLoopBackOff", {"reason": "CrashLoopBackOff", "message": "back-off"}, **meta
    )
    one["status"]["phase"] = "Running"
    ended = {"terminated": {"exitCode": 1, "reason": "Error", "startedAt": LONG_AGO, "finishedAt": LONG_AGO}}
    one["status"]["containerStatuses"][0] |= {"restartCount": 4, "lastState": ended}
    return one


def front() -> list[Doc]:
    """Return a Service with Pods that are not ready for lack of another Service, named by each of them."""
    pods = [unready(f"front-{n}", labels={"app": "front"}) for n in (1, 2)]
    words = "Readiness probe failed: not ready: redis session-cache:6379: Connection refused"
    return [service("front", app="front"), *pods, *(event(p, "Unhealthy", words) for p in pods)]


def test_a_probes_words_lead_to_the_service_and_to_the_workload_behind_it(
    tmp_path: Path, capsys: Err
) -> None:
    cache = [service("session-cache", app="cache"), deployment("session-cache", 0, {"app": "cache"})]
    status, answer, _ = ask([*front(), *cache], tmp_path, capsys, "svc/front")
    assert status == 1 and roots(answer) == ["service.scaled-to-none"]
    assert "probe.readiness-failing" in told(answer)
    assert answer["causes"][0]["culprit"] == {
        "kind": "Deployment",
        "namespace": SPACE,
        "name": "session-cache",
        "uid": "uid-deployment-session-cache",
    }


def test_what_is_named_and_well_has_no_part_in_it(tmp_path: Path, capsys: Err) -> None:
    cache = [service("session-cache", app="cache"), make_pod("cache-1", SPACE, labels={"app": "cache"})]
    _, answer, _ = ask([*front(), *cache], tmp_path, capsys, "pod/front-1")
    assert roots(answer) == ["probe.readiness-failing"]


@pytest.mark.parametrize("host", ["orders-db", "10.96.7.7"])
def test_a_refused_connection_leads_to_why_the_pods_of_its_service_do_not_start(
    tmp_path: Path, capsys: Err, host: str
) -> None:
    database = make_pod_with_map("db-0", SPACE)
    database["metadata"]["labels"] = {"app": "db"}
    orders = service("orders-db", app="db")
    orders["spec"]["clusterIP"] = "10.96.7.7"
    objects = [crashing("api"), orders, database]
    lines = {"api": f"fatal: dial tcp {host}:5432: connect: connection refused"}
    _, answer, _ = ask(objects, tmp_path, capsys, "pod/api", lines=lines)
    assert roots(answer) == ["config.configmap-missing"] and "program.connection-refused" in told(answer)


def test_an_init_containers_line_leads_to_the_job_that_failed(tmp_path: Path, capsys: Err) -> None:
    waiting = make_pod("api", SPACE, "Init:0/1", {"reason": "PodInitializing"})
    waiting["spec"]["initContainers"] = [{"name": "wait", "image": "registry.example.com/app:1"}]
    running = {
        "name": "wait",
        "ready": False,
        "started": True,
        "restartCount": 0,
        "state": {"running": {"startedAt": LONG_AGO}},
    }
    waiting["status"]["initContainerStatuses"] = [running]
    waiting["status"]["conditions"] = [
        {**c, "status": "True" if c["type"] == "PodScheduled" else "False"}
        for c in waiting["status"]["conditions"]
    ]
    owner = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": "migrate-v31",
        "uid": "uid-job-migrate-v31",
        "controller": True,
    }
    failed = crashing("migrate-v31-x7k2p", ownerReferences=[owner], labels={"job-name": "migrate-v31"})
    failed["status"] |= {"phase": "Failed"}
    failed["status"]["containerStatuses"][0] = {
        "name": "c",
        "ready": False,
        "restartCount": 0,
        "state": {
            "terminated": {"exitCode": 1, "reason": "Error", "startedAt": LONG_AGO, "finishedAt": LONG_AGO}
        },
    }
    job = make_object(
        "Job",
        "migrate-v31",
        SPACE,
        spec={"completions": 1, "parallelism": 1, "selector": {"matchLabels": {"job-name": "migrate-v31"}}},
        status={
            "failed": 1,
            "conditions": [
                {
                    "type": "Failed",
                    "status": "True",
                    "reason": "BackoffLimitExceeded",
                    "lastTransitionTime": LONG_AGO,
                }
            ],
        },
    )
    lines = {
        "api": "job/migrate-v31 is not complete yet, waiting",
        "migrate-v31-x7k2p": "no relation of that name",
    }
    _, answer, _ = ask([waiting, job, failed], tmp_path, capsys, "pod/api", lines=lines)
    assert roots(answer) == ["container.exits-by-itself"] and "container.init-waiting" in told(answer)


def test_a_program_that_waits_to_lead_leads_to_who_holds_the_lease(tmp_path: Path, capsys: Err) -> None:
    renewed = (datetime.now(UTC) - timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
    spec = {
        "holderIdentity": "operator-6d5f9c7b44-q8x2l_0f3c1f0e",
        "leaseDurationSeconds": 86400,
        "renewTime": renewed,
    }
    lock = make_object("Lease", "operator-lock", SPACE, spec=spec)
    waiting = unready("operator-6d5f9c7b44-tt2nc")
    lines = {
        "operator-6d5f9c7b44-tt2nc": "I1128 leaderelection.go:257] attempting to acquire leader lease default/operator-lock..."
    }
    objects = [waiting, event(waiting, "Unhealthy", "Readiness probe failed: "), lock]
    _, answer, _ = ask(objects, tmp_path, capsys, "pod/operator-6d5f9c7b44-tt2nc", lines=lines)
    assert roots(answer) == ["controller.lease-holder-gone"] and "probe.readiness-failing" in told(answer)


def test_a_missing_secret_leads_to_who_is_to_have_it_written(
    tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(server.KINDS, "externalsecrets", ("ExternalSecret", "external-secrets.io/v1", True))
    wants = make_pod(
        "points",
        SPACE,
        "CreateContainerConfigError",
        {"reason": "CreateContainerConfigError", "message": 'secret "points-db" not found'},
    )
    wants["spec"]["containers"][0]["envFrom"] = [{"secretRef": {"name": "points-db"}}]
    denied = {
        "type": "Ready",
        "status": "False",
        "reason": "SecretSyncedError",
        "message": "AccessDeniedException",
        "lastTransitionTime": LONG_AGO,
    }
    maker = make_object(
        "ExternalSecret",
        "points",
        SPACE,
        spec={"target": {"name": "points-db"}},
        status={"conditions": [denied]},
    )
    _, answer, _ = ask([wants, maker], tmp_path, capsys, "pod/points")
    assert roots(answer) == ["reported.own-words"] and "config.secret-missing" in told(answer)
    assert "AccessDeniedException" in answer["causes"][0]["says"]["en"]


def test_a_customresource_is_followed_to_what_it_has_had_made(
    tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(server.KINDS, "parts", ("Part", "of.things.example.com/v1", True))
    lacks = {
        "type": "Ready",
        "status": "False",
        "reason": "Pending",
        "message": "waiting for its part",
        "lastTransitionTime": LONG_AGO,
    }
    gadget = make_object("Gadget", "g", SPACE, spec={}, status={"conditions": [lacks]})
    owner = {
        "apiVersion": "things.example.com/v1",
        "kind": "Gadget",
        "name": "g",
        "uid": "uid-gadget-g",
        "controller": True,
    }
    bent = {
        "type": "Failed",
        "status": "True",
        "reason": "Bent",
        "message": "the part is bent",
        "lastTransitionTime": LONG_AGO,
    }
    part = make_object(
        "Part", "p", SPACE, meta={"ownerReferences": [owner]}, spec={}, status={"conditions": [bent]}
    )
    _, answer, _ = ask([gadget, part], tmp_path, capsys, "gadget/g")
    assert [(c["culprit"]["name"], c["consequence_of"]) for c in answer["causes"]] == [("p", None), ("g", 0)]


def test_a_customresource_is_followed_to_the_cluster_and_to_a_type_named_by_its_plural(
    tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch
) -> None:
    for plural, kind, namespaced in (
        ("claims", "Claim", True),
        ("buckets", "Bucket", False),
        ("accounts", "Account", False),
    ):
        monkeypatch.setitem(server.KINDS, plural, (kind, "of.things.example.com/v1", namespaced))
    waits = {
        "type": "Ready",
        "status": "False",
        "reason": "Waiting",
        "message": "waiting for the bucket",
        "lastTransitionTime": LONG_AGO,
    }
    ref = {"apiVersion": "of.things.example.com/v1", "kind": "Bucket", "name": "b-1"}
    claim = make_object("Claim", "c", SPACE, spec={"resourceRef": ref}, status={"conditions": [waits]})
    said = 'cannot connect: accounts.of.things.example.com "north" not found'
    fails = {
        "type": "Synced",
        "status": "False",
        "reason": "ReconcileError",
        "message": said,
        "lastTransitionTime": LONG_AGO,
    }
    bucket = make_object("Bucket", "b-1", spec={}, status={"conditions": [fails]})
    _, answer, _ = ask([claim, bucket], tmp_path, capsys, "claim/c")
    root = answer["causes"][0]
    assert (root["id"], root["culprit"]["name"], root["culprit"].get("namespace")) == (
        "reported.own-words",
        "b-1",
        None,
    ), root["culprit"]
    assert any("Account.of.things.example.com north" in step["says"]["en"] for step in root["help"]), root[
        "help"
    ]


def test_a_workload_within_its_time_tells_what_its_pods_fail_at(tmp_path: Path, capsys: Err) -> None:
    lately = (datetime.now(UTC) - timedelta(seconds=50)).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {"app": "wiki"}
    moves = {
        "type": "Progressing",
        "status": "True",
        "reason": "ReplicaSetUpdated",
        "lastTransitionTime": lately,
        "lastUpdateTime": lately,
    }
    above = deployment(
        "wiki", 1, labels, replicas=1, updatedReplicas=1, unavailableReplicas=1, conditions=[moves]
    )
    of = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "name": "wiki",
        "uid": "uid-deployment-wiki",
        "controller": True,
    }
    between = make_object(
        "ReplicaSet",
        "wiki-1",
        SPACE,
        meta={"labels": labels, "ownerReferences": [of]},
        spec={"replicas": 1, "selector": {"matchLabels": labels}},
        status={"replicas": 1},
    )
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": "wiki-1",
        "uid": "uid-replicaset-wiki-1",
        "controller": True,
    }
    one = unready("wiki-1-x", labels=labels, ownerReferences=[owner])
    one["status"]["containerStatuses"][0]["state"] = {"running": {"startedAt": lately}}
    refused = event(
        one,
        "Unhealthy",
        (
            'Readiness probe failed: Get "http://10.1.1.1:8080/": dial tcp 10.1.1.1:8080: connect: '
            "connection refused"
        ),
    )
    _, answer, _ = ask([above, between, one, refused], tmp_path, capsys, "deploy/wiki")
    assert answer["state"] == "progressing" and "probe.readiness-failing" in told(answer)


def test_a_name_in_a_line_costs_one_request_where_there_is_no_such_object(
    tmp_path: Path, capsys: Err
) -> None:
    lines = {"api": "fatal: could not parse the answer of metrics-store:9000"}
    _, answer, cluster = ask([crashing("api")], tmp_path, capsys, "pod/api", lines=lines)
    about = [path for path, _ in cluster.asked if "metrics-store" in path]
    assert len(about) <= 1 and roots(answer) == ["container.exits-by-itself"]


@pytest.mark.parametrize(
    ("status", "state", "ids"), [("False", "stuck", {"reported.own-words"}), ("True", "held", set())]
)
def test_a_job_in_a_queue_is_held_as_long_as_the_queue_works(
    tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch, status: str, state: str, ids: set[str]
) -> None:
    for plural, kind, namespaced in (
        ("localqueues", "LocalQueue", True),
        ("clusterqueues", "ClusterQueue", False),
    ):
        monkeypatch.setitem(server.KINDS, plural, (kind, "kueue.x-k8s.io/v1beta1", namespaced))
    active = {
        "type": "Active",
        "status": status,
        "reason": "FlavorNotFound",
        "message": "missing flavor: cpu",
        "lastTransitionTime": LONG_AGO,
    }
    job = make_object(
        "Job",
        "align",
        SPACE,
        meta={"labels": {"kueue.x-k8s.io/queue-name": "team"}},
        spec={"suspend": True},
        status={"active": 0},
    )
    queue = make_object(
        "LocalQueue",
        "team",
        SPACE,
        spec={"clusterQueue": "speech"},
        status={"conditions": [{**active, "message": "inactive"}]},
    )
    whole = make_object("ClusterQueue", "speech", spec={}, status={"conditions": [active]})
    _, answer, _ = ask([job, queue, whole], tmp_path, capsys, "job/align")
    assert (answer["state"], told(answer)) == (state, ids)
    if ids:
        assert (
            answer["causes"][0]["culprit"]["name"] == "speech"
            and "missing flavor: cpu" in answer["causes"][0]["says"]["en"]
        )


def test_a_job_in_a_queue_that_does_not_exist_is_held_without_end(
    tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(server.KINDS, "localqueues", ("LocalQueue", "kueue.x-k8s.io/v1beta1", True))
    job = make_object(
        "Job",
        "align",
        SPACE,
        meta={"labels": {"kueue.x-k8s.io/queue-name": "team"}},
        spec={"suspend": True},
        status={"active": 0},
    )
    status, answer, _ = ask([job], tmp_path, capsys, "job/align")
    assert (status, answer["state"]) == (2, "stuck") and "there is no LocalQueue" in answer["headline"]["en"]


def test_who_holds_the_lock_that_it_waits_for_is_told_with_where_that_stands(
    tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(server.KINDS, "workflows", ("Workflow", "argoproj.io/v1alpha1", True))
    lock = {"mutex": {"waiting": [{"mutex": f"{SPACE}/Mutex/production", "holder": f"{SPACE}/release-crm"}]}}
    words = f"Waiting for {SPACE}/Mutex/production lock. Lock status: 0/1"
    waits = make_object(
        "Workflow",
        "release-erp",
        SPACE,
        spec={"entrypoint": "main"},
        status={"phase": "Pending", "message": words, "synchronization": lock},
    )
    step = {"type": "Suspend", "phase": "Running", "displayName": "approve", "startedAt": LONG_AGO}
    holds = make_object(
        "Workflow",
        "release-crm",
        SPACE,
        spec={"entrypoint": "main"},
        status={"phase": "Running", "nodes": {"a": step}},
    )
    status, answer, _ = ask([waits, holds], tmp_path, capsys, "workflow/release-erp")
    assert status != 0 and "release-crm" in str(answer) and "approve" in str(answer)
    status, answer, _ = ask([holds], tmp_path, capsys, "workflow/release-crm")
    assert (status, answer["state"]) == (0, "held")


def test_an_object_of_which_nothing_is_judged_is_undecided_and_leads_on(
    tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, answer, _ = ask(
        [make_object("Gadget", "g", SPACE, spec={"a": 1}, status={"seen": 1})], tmp_path, capsys, "gadget/g"
    )
    assert (status, answer["state"]) == (2, "unknown") and answer["next"]
