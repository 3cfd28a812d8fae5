"""From an object through names in messages, addresses, labels and rows of its status, to the object with the
root cause.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_named import Err, ask, crashing, roots, service, told, unready
from tests.kube import small as server
from tests.kube.small import LONG_AGO, make_object, make_pod

Doc = dict[str, Any]
GROUP = "mq.things.example.com"
KINDS = {
    "channels": ("Channel", f"{GROUP}/v1", True),
    "brokers": ("Broker", f"{GROUP}/v1", True),
    "clusterstores": ("ClusterStore", f"{GROUP}/v1", False),
    "rollups": ("Rollup", f"{GROUP}/v1", True),
}


@pytest.fixture(autouse=True)
def _more_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    for plural, kind in KINDS.items():
        monkeypatch.setitem(server.KINDS, plural, kind)


def ill(
    kind: str,
    name: str,
    message: str,
    namespace: str | None = "default",
    labels: Doc | None = None,
    **spec: Any,
) -> Doc:
    failing = {
        "type": "Ready",
        "status": "False",
        "reason": "NotYet",
        "message": message,
        "lastTransitionTime": LONG_AGO,
    }
    return make_object(
        kind, name, namespace, meta={"labels": labels or {}}, spec=spec, status={"conditions": [failing]}
    )


@pytest.mark.parametrize(
    "label",
    ["mq.things.example.com/cluster", "things.example.com/cluster-name", "app.kubernetes.io/instance"],
)
def test_a_part_of_the_same_whole_that_is_not_well_is_the_root(
    tmp_path: Path, capsys: Err, label: str
) -> None:
    whole = {label: "north"}
    objects = [
        ill("Channel", "letters", "only 2 of 3 members are there", labels=whole),
        crashing("north-2", labels=whole),
    ]
    status, answer, cluster = ask(
        [*objects, make_pod("north-0", "default", labels=whole)],
        tmp_path,
        capsys,
        "channel/letters",
        lines={"north-2": "x"},
    )
    assert status == 1 and "reported.own-words" in told(answer)
    assert [c["culprit"]["within"] for c in answer["causes"] if c["consequence_of"] is None] == [
        "default/north-2"
    ]
    assert len(cluster.asked) <= 30


@pytest.mark.parametrize(
    "labels",
    [{"team": "north"}, {"app.kubernetes.io/part-of": "north"}, {"other.example.org/cluster": "north"}],
)
def test_other_labels_lead_nowhere(tmp_path: Path, capsys: Err, labels: Doc) -> None:
    _, answer, _ = ask(
        [ill("Channel", "letters", "no room", labels=labels), crashing("north-2", labels=labels)],
        tmp_path,
        capsys,
        "channel/letters",
    )
    assert roots(answer) == ["reported.own-words"]


@pytest.mark.parametrize(
    "address",
    ["http://safe.default:8200", "safe.default.svc:8200", "https://safe.default.svc.cluster.local/v1"],
)
def test_an_address_leads_through_its_service_to_the_pod(tmp_path: Path, capsys: Err, address: str) -> None:
    store = ill("ClusterStore", "safe", "Code: 503", None, provider={"server": address})
    channel = ill(
        "Channel", "letters", "could not get data", storeRef={"kind": "ClusterStore", "name": "safe"}
    )
    probed = make_object(
        "Event",
        "safe-0.1",
        "default",
        involvedObject={
            "kind": "Pod",
            "name": "safe-0",
            "namespace": "default",
            "fieldPath": "spec.containers{app}",
        },
        type="Warning",
        reason="Unhealthy",
        message="Readiness probe failed: it is locked",
        count=40,
        firstTimestamp=LONG_AGO,
        lastTimestamp=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    pods = [service("safe", app="safe"), unready("safe-0", labels={"app": "safe"}), probed]
    status, answer, cluster = ask([store, channel, *pods], tmp_path, capsys, "channel/letters")
    first = answer["causes"][0]
    assert status == 1 and first["id"] == "probe.readiness-failing"
    assert sum(c["consequence_of"] is not None for c in answer["causes"]) == 2 and len(cluster.asked) <= 40


@pytest.mark.parametrize(
    "address",
    [
        "https://git.acme.example/x",
        "s3://bucket",
        "10.0.0.7:8200",
        "http://127.0.0.1:80",
        "just words",
        "a:b",
    ],
)
def test_what_is_outside_leads_nowhere(tmp_path: Path, capsys: Err, address: str) -> None:
    _, answer, _ = ask(
        [ill("Channel", "letters", "no answer", url=address)], tmp_path, capsys, "channel/letters"
    )
    assert roots(answer) == ["reported.own-words"]


def waiting(message: str) -> list[Doc]:
    """Return a Rollup with a Job whose Pod needs a ConfigMap that the Rollup should create."""
    rows = [
        {"kind": "ConfigMap", "name": "rates", "namespace": "default", "status": "Missing"},
        {
            "group": "batch",
            "kind": "Job",
            "name": "convert",
            "namespace": "default",
            "status": "Running",
            "message": "job.batch/convert created",
        },
    ]
    status = {
        "health": {"status": "Missing"},
        "operationState": {"phase": "Running", "message": message, "resources": rows},
    }
    labels = {"job-name": "convert"}
    job = make_object(
        "Job",
        "convert",
        "default",
        spec={"parallelism": 1, "completions": 1, "selector": {"matchLabels": labels}},
        status={"active": 1, "startTime": LONG_AGO},
    )
    owner = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": "convert",
        "uid": "uid-job-convert",
        "controller": True,
    }
    one = server.make_pod_with_map("convert-1", "default", "rates")
    one["metadata"] |= {"ownerReferences": [owner], "labels": labels}

    return [
        make_object("Rollup", "prices", "default", meta={"generation": 1}, spec={}, status=status),
        job,
        one,
    ]


@pytest.mark.parametrize(
    ("message", "loop"),
    [("waiting for completion of hook batch/Job/convert", True), ("applied 2 objects", False)],
)
def test_two_that_wait_for_each_other_are_told_so(
    tmp_path: Path, capsys: Err, message: str, loop: bool
) -> None:
    status, answer, _ = ask(waiting(message), tmp_path, capsys, "rollup/prices")
    first = answer["causes"][0]
    assert status == 1 and first["id"] == "config.configmap-missing"
    assert ("each waits for the other" in first["says"]["en"]) is loop
    assert ("be made before Job" in first["help"][0]["says"]["en"]) is loop
