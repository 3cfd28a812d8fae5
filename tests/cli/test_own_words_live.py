"""Own reports of an object or its parts, from a server: the exit status, and non-incidents of a scan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.closed import CLOSED
from tests.kube.small import (
    LONG_AGO,
    Small,
    make_healthy_cluster,
    make_node,
    make_object,
    make_pod,
    make_pod_with_map,
    read_json,
    small,
)
from unstuck.cli.run import run

Err = pytest.CaptureFixture[str]
Doc = dict[str, Any]


def ask(objects: list[Doc], path: Path, *args: str) -> int:
    with small(Small(objects), path) as (_, kubeconfig):
        return run([*args, "--kubeconfig", str(kubeconfig)], "unstuck")


def scaled_to_none() -> Doc:
    """Return a Deployment scaled to 0."""
    touched = {"manager": "kubectl-scale", "time": LONG_AGO, "fieldsV1": {"f:spec": {"f:replicas": {}}}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "web"}}}
    meta = {"generation": 2, "managedFields": [touched]}
    return make_object("Deployment", "web", "default", meta=meta, spec=spec, status={"observedGeneration": 2})


def test_a_namespace_is_not_fine_while_something_in_it_is_stuck(tmp_path: Path, capsys: Err) -> None:
    assert ask(make_healthy_cluster(), tmp_path, "why", "ns/default", "-o", "json") == 0
    assert read_json(capsys.readouterr().out)["diagnoses"][0]["state"] == "fine"
    assert (
        ask(
            [*make_healthy_cluster(), make_pod_with_map("web-1", "default")],
            tmp_path,
            "why",
            "ns/default",
            "-o",
            "json",
        )
        == 1
    )
    (answer,) = read_json(capsys.readouterr().out)["diagnoses"]
    assert answer["state"] == "stuck" and "Pod web-1" in answer["headline"]["en"]
    assert [c["id"] for c in answer["causes"]] == ["config.configmap-missing"]


def test_what_no_pod_was_made_for_counts_too(tmp_path: Path, capsys: Err) -> None:
    claim = make_object(
        "PersistentVolumeClaim",
        "data",
        "default",
        ("Pending",),
        spec={"storageClassName": "gone"},
        status={"phase": "Pending"},
    )
    assert ask([*make_healthy_cluster(), claim], tmp_path, "why", "ns/default") == 1
    assert "PersistentVolumeClaim data" in capsys.readouterr().out


def test_who_waits_for_what_is_held_is_told_at_once(tmp_path: Path, capsys: Err) -> None:
    objects = [*make_healthy_cluster(), scaled_to_none()]
    assert ask(objects, tmp_path, "why", "deploy/web") == 0
    out = capsys.readouterr().out
    assert out.startswith("‖ Deployment default/web — scaled to 0 by kubectl-scale")
    assert ask(objects, tmp_path, "why", "deploy/web", "--wait", "--timeout", "5m") == 2
    assert "kubectl-scale" in capsys.readouterr().out


def test_what_is_held_is_skipped_in_junit_with_its_reason(tmp_path: Path, capsys: Err) -> None:
    assert ask([*make_healthy_cluster(), scaled_to_none()], tmp_path, "why", "deploy/web", "-o", "junit") == 0
    out = capsys.readouterr().out
    assert (
        '<skipped message="Deployment default/web — scaled to 0 by kubectl-scale' in out
        and 'failures="0"' in out
    )


def test_its_own_words_are_the_answer_quoted_with_who_wrote_them(tmp_path: Path, capsys: Err) -> None:
    failing = {
        "type": "Ready",
        "status": "False",
        "reason": "NoRoom",
        "message": "the shelf is full",
        "lastTransitionTime": LONG_AGO,
    }
    written = {
        "manager": "gadget-operator",
        "time": LONG_AGO,
        "fieldsV1": {"f:status": {"f:conditions": {}}},
        "subresource": "status",
    }
    gadget = make_object(
        "Gadget", "g", "default", meta={"managedFields": [written]}, spec={}, status={"conditions": [failing]}
    )
    assert ask([*make_healthy_cluster(), gadget], tmp_path, "why", "gadget/g", "-o", "json") == 1
    document = read_json(capsys.readouterr().out)
    CLOSED.validate(document)
    (answer,) = document["diagnoses"]
    told = {"field": "condition Ready", "value": "False", "reason": "NoRoom", "message": "the shelf is full"}
    assert answer["reports"] == [{**told, "since": LONG_AGO, "by": "gadget-operator"}]
    assert [(c["id"], c["confidence"]) for c in answer["causes"]] == [("reported.own-words", "likely")]
    assert ask([*make_healthy_cluster(), gadget], tmp_path, "why", "gadget/g") == 1
    out = capsys.readouterr().out
    assert "NoRoom: the shelf is full" in out and "gadget-operator" in out


def job(state: str, completions: str) -> list[Doc]:
    """Return a Job and the failed Pod of its first attempt."""
    conditions = [{"type": state, "status": "True", "lastTransitionTime": LONG_AGO}]
    owner = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": "tidy",
        "uid": "uid-job-tidy",
        "controller": True,
    }
    failed = make_pod("tidy-x7k2p", "default", "Error", ownerReferences=[owner], labels={"job-name": "tidy"})
    failed["status"] |= {"phase": "Failed"}
    failed["cells"] = ("tidy-x7k2p", "0/1", "Error", "0", "1d", "10.0.0.9", "node-1", "<none>", "<none>")
    spec = {"completions": 1, "parallelism": 1, "selector": {"matchLabels": {"job-name": "tidy"}}}
    status = {"conditions": conditions, "succeeded": int(completions[0]), "failed": 1}
    return [make_object("Job", "tidy", "default", (state, completions), spec=spec, status=status), failed]


def test_a_try_that_failed_before_its_job_was_done_is_no_incident(tmp_path: Path, capsys: Err) -> None:
    assert ask([*make_healthy_cluster(), *job("Complete", "1/1")], tmp_path, "scan") == 0
    assert "nothing is stuck" in capsys.readouterr().out
    assert ask([*make_healthy_cluster(), *job("Complete", "1/1")], tmp_path, "why", "job/tidy") == 0
    assert capsys.readouterr().out.startswith("✓")
    assert ask([*make_healthy_cluster(), *job("Failed", "0/1")], tmp_path, "scan") > 0
    assert "tidy" in capsys.readouterr().out


def test_two_budgets_of_one_pod_forbid_its_eviction_whatever_they_allow(tmp_path: Path, capsys: Err) -> None:
    selector = {"selector": {"matchLabels": {"app": "web"}}}
    status = {"disruptionsAllowed": 2, "currentHealthy": 3, "desiredHealthy": 1, "expectedPods": 3}
    budgets = [
        make_object("PodDisruptionBudget", name, "default", spec=selector, status=status)
        for name in ("web-a", "web-b")
    ]
    cordoned = make_node("node-1") | {"spec": {"unschedulable": True}}
    others = [o for o in make_healthy_cluster() if o["kind"] != "Node"]
    web = make_pod("web-1", "default", labels={"app": "web"})
    assert ask([*others, cordoned, web, *budgets], tmp_path, "why", "node/node-1") == 1
    out = capsys.readouterr().out
    assert "web-a, web-b" in out and "replica" not in out
    assert ask([*others, cordoned, web, budgets[0]], tmp_path, "why", "node/node-1") == 0
    assert capsys.readouterr().out.startswith("‖")


def test_a_service_without_a_selector_is_as_its_endpoints(tmp_path: Path, capsys: Err) -> None:
    service = make_object(
        "Service", "db", "default", spec={"ports": [{"port": 5432}]}, status={"loadBalancer": {}}
    )
    assert ask([*make_healthy_cluster(), service], tmp_path, "why", "svc/db") == 2
    assert "it has no backend" in capsys.readouterr().out
    slices = make_object(
        "EndpointSlice",
        "db-1",
        "default",
        meta={"labels": {"kubernetes.io/service-name": "db"}},
        endpoints=[{"addresses": ["192.0.2.7"]}],
    )
    assert ask([*make_healthy_cluster(), service, slices], tmp_path, "why", "svc/db") == 0
    assert capsys.readouterr().out.startswith("✓ Service default/db — 1 ready endpoints")


def test_a_service_whose_pods_are_not_ready_is_followed_to_them(tmp_path: Path, capsys: Err) -> None:
    web = make_pod_with_map("web-1", "default")
    web["metadata"]["labels"] = {"app": "web"}
    service = make_object(
        "Service", "web", "default", spec={"selector": {"app": "web"}, "ports": [{"port": 80}]}, status={}
    )
    assert ask([*make_healthy_cluster(), web, service], tmp_path, "why", "svc/web") == 1
    out = capsys.readouterr().out
    assert (
        "none of its 1 Pods is ready" in out
        and "config.configmap-missing" in out
        and "seen on Pod default/web-1" in out
    )


def test_what_is_held_is_counted_in_one_line_of_a_scan_and_is_no_incident(
    tmp_path: Path, capsys: Err
) -> None:
    stopped = scaled_to_none() | {"cells": ("web", "0/0", "0")}
    cordoned = make_node("n-2") | {
        "spec": {"unschedulable": True},
        "cells": ("n-2", "Ready,SchedulingDisabled"),
    }
    assert ask([*make_healthy_cluster(), stopped, cordoned], tmp_path, "scan", "-A", "-o", "json") == 0
    document = read_json(capsys.readouterr().out)
    CLOSED.validate(document)
    (left,) = document["left_out"]
    assert (
        left["en"].startswith("2 held on purpose")
        and "Deployment default/web" in left["en"]
        and "Node n-2" in left["en"]
    )
    assert not document["incidents"] and not document["diagnoses"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_format_of_a_scan_lists_what_is_held_where_it_is_asked_for(
    lang: str, tmp_path: Path, capsys: Err
) -> None:
    stopped = scaled_to_none() | {"cells": ("web", "0/0", "0")}
    cordoned = make_node("n-2") | {
        "spec": {"unschedulable": True},
        "cells": ("n-2", "Ready,SchedulingDisabled"),
    }
    how = {"en": ("scaled to 0", "cordoned"), "zh": ("缩容到 0", "封锁")}[lang]
    for output in ("text", "wide", "markdown", "html", "junit", "github"):
        assert (
            ask(
                [*make_healthy_cluster(), stopped, cordoned],
                tmp_path,
                "scan",
                "-A",
                "--held",
                "-o",
                output,
                "--lang",
                lang,
            )
            == 0
        )
        shown = capsys.readouterr().out.replace("\\", "")
        assert all(word in shown for word in (*how, "web", "n-2")), output
        assert "held on purpose (" not in shown and "有意停住（" not in shown, output
    assert (
        ask([*make_healthy_cluster(), stopped, cordoned], tmp_path, "scan", "-A", "--held", "-o", "json") == 0
    )
    document = read_json(capsys.readouterr().out)
    CLOSED.validate(document)
    assert [(r["kind"], r["name"]) for r in document["held"]] == [("Deployment", "web"), ("Node", "n-2")]
    assert "left_out" not in document and not document["diagnoses"]
    assert (
        ask([*make_healthy_cluster(), stopped, cordoned], tmp_path, "scan", "-A", "--held", "-o", "name") == 0
    )
    told = capsys.readouterr()
    assert not told.out and "2 are held on purpose" in told.err


def test_a_ready_node_under_pressure_is_told_by_a_scan_as_by_why(tmp_path: Path, capsys: Err) -> None:
    full = make_node("n-2") | {"cells": ("n-2", "Ready")}
    pressure = {
        "type": "DiskPressure",
        "status": "True",
        "reason": "KubeletHasDiskPressure",
        "lastTransitionTime": LONG_AGO,
    }
    full["status"]["conditions"] = [*full["status"]["conditions"], pressure]
    assert ask([*make_healthy_cluster(), full], tmp_path, "why", "node/n-2", "-o", "json") == 1
    (alone,) = read_json(capsys.readouterr().out)["diagnoses"]
    assert ask([*make_healthy_cluster(), full], tmp_path, "scan", "-A", "-o", "json") == 1
    (seen,) = read_json(capsys.readouterr().out)["diagnoses"]
    assert (seen["state"], seen["headline"]) == (alone["state"], alone["headline"]) and alone[
        "state"
    ] == "stuck"
