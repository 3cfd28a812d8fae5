"""Containers of one Pod at different stages: each one's stage and problem, the earliest obstacle first."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.engine import diagnose, discover
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.render.text import write_text

NOW = datetime(2026, 11, 21, 3, 1, 0, tzinfo=UTC)
AT = "2026-11-21T02:58:40Z"
NOT_STARTED = (
    'OCI runtime create failed: exec: "/app/server": stat /app/server: no such file or directory: unknown'
)
NOT_THERE = 'Container image "lab.local/never-built:1" is not present with pull policy of Never'
NO_CONFIG = 'configmap "app-conf" not found'


def waits(reason: str, message: str = "", **more: Any) -> dict[str, Any]:
    return {
        "ready": False,
        "restartCount": 0,
        "state": {"waiting": {"reason": reason, "message": message}},
        **more,
    }


RUNS = {
    "ready": True,
    "restartCount": 0,
    "containerID": "containerd://a",
    "state": {"running": {"startedAt": AT}},
}
UNREADY = RUNS | {"ready": False}
NO_IMAGE = waits("ErrImageNeverPull", NOT_THERE)
PULLING = waits("ContainerCreating")
UNMADE = waits("CreateContainerConfigError", NO_CONFIG)
UNSTARTED = waits("RunContainerError", NOT_STARTED, restartCount=4)
ENDED = {"exitCode": 3, "reason": "Error", "startedAt": AT, "finishedAt": "2026-11-21T03:00:40Z"}
CRASHES = waits(
    "CrashLoopBackOff", containerID="containerd://b", restartCount=4, lastState={"terminated": ENDED}
)
DONE = RUNS | {"ready": False, "state": {"terminated": ENDED | {"exitCode": 0, "reason": "Completed"}}}


def event(message: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"p.{len(message)}", "namespace": "f"},
        "involvedObject": {
            "kind": "Pod",
            "namespace": "f",
            "name": "p",
            "uid": "u-1",
            "fieldPath": "spec.containers{a}",
        },
        "type": "Warning",
        "reason": "Failed",
        "message": message,
        "count": 9,
        "firstTimestamp": AT,
        "lastTimestamp": "2026-11-21T03:00:40Z",
        "source": {"component": "kubelet", "host": "n-1"},
    }


def told(
    statuses: dict[str, dict[str, Any]], *said: str, restart: str = "Always", initialized: str = "True"
) -> Diagnosis:
    """Return the answer about a Pod with these containers. said: failure messages of its first one."""
    environment = {"no-config": {"envFrom": [{"configMapRef": {"name": "app-conf"}}]}}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "f", "uid": "u-1", "creationTimestamp": AT},
        "spec": {
            "nodeName": "n-1",
            "restartPolicy": restart,
            "containers": [{"name": name, "image": "i:1", **environment.get(name, {})} for name in statuses],
        },
        "status": {
            "phase": "Pending",
            "startTime": AT,
            "conditions": [
                {"type": t, "status": s, "lastTransitionTime": AT}
                for t, s in (
                    ("PodScheduled", "True"),
                    ("PodReadyToStartContainers", "True"),
                    ("Initialized", initialized),
                    ("Ready", "False"),
                )
            ],
            "containerStatuses": [
                {"name": name, "image": "i:1", **status} for name, status in statuses.items()
            ],
        },
    }
    listed = {"apiVersion": "v1", "kind": "List", "items": [pod, *map(event, said)]}
    facts = read_text(json.dumps(listed), "paste.json", NOW).facts
    return diagnose(Ref("Pod", "f", "p"), Snapshot(facts, NOW), discover())


def stands(found: Diagnosis) -> list[str]:
    return [s.id for s in found.stages if s.state == "not-done"]


def causes(found: Diagnosis) -> list[str]:
    return [c.id for c in found.causes]


@pytest.mark.parametrize(
    ("beside", "stage"),
    [(UNMADE, "containers-created"), (UNSTARTED, "started"), (CRASHES, "ready"), (UNREADY, "ready")],
)
@pytest.mark.parametrize("first", ["image", "other"])
def test_each_container_stands_where_its_own_status_says(
    beside: dict[str, Any], stage: str, first: str
) -> None:
    both = {"image": NO_IMAGE, "other": beside}
    found = told({name: both[name] for name in sorted(both, reverse=first == "other")})
    assert stands(found) == ["images-pulled", stage]
    notes = [s.note.en for s in found.stages if s.note]
    assert [n.rpartition(" ")[2] for n in notes] == ["image", "other"]
    assert all(s.evidence for s in found.stages if s.state == "not-done")


@pytest.mark.parametrize("beside", [RUNS, PULLING, NO_IMAGE], ids=["runs", "pulls", "waits too"])
def test_what_is_well_or_not_known_stands_nowhere_else(beside: dict[str, Any]) -> None:
    assert stands(told({"a": NO_IMAGE, "b": beside})) == ["images-pulled"]


def test_what_did_its_work_and_is_not_started_again_stands_nowhere() -> None:
    assert stands(told({"a": NO_IMAGE, "b": DONE}, restart="OnFailure")) == ["images-pulled"]
    assert stands(told({"a": NO_IMAGE, "b": DONE}, restart="Always")) == ["images-pulled", "ready"]


def test_while_one_still_pulls_the_other_is_told_for_what_it_is() -> None:
    found = told({"a": PULLING, "b": UNSTARTED})
    assert [s.state for s in found.stages if s.id == "images-pulled"] == ["unknown"]
    assert stands(found) == ["started"]
    assert found.state.name == "stuck" and found.state.headline.en.startswith("Pod f/p — RunContainerError")
    assert found.state.word == "RunContainerError"
    assert [(c.id, c.confidence) for c in found.causes] == [("container.command-not-found", "proven")]


def test_one_that_ends_by_itself_is_told_beside_one_that_waits_for_its_image() -> None:
    found = told({"a": NO_IMAGE, "b": CRASHES}, NOT_THERE)
    assert causes(found) == ["image.never-pull", "container.exits-by-itself"]


def test_before_the_pod_is_initialized_no_container_has_begun() -> None:
    assert stands(
        told({"a": waits("PodInitializing"), "b": waits("PodInitializing")}, initialized="False")
    ) == ["init-done"]


def test_what_is_wrong_with_each_is_told_the_one_that_holds_earliest_first() -> None:
    found = told({"a": NO_IMAGE, "no-config": UNMADE, "c": UNSTARTED}, NOT_THERE, f"Error: {NO_CONFIG}")
    assert causes(found)[0] == "image.never-pull"
    assert sorted(causes(found)) == [
        "config.configmap-missing",
        "container.command-not-found",
        "image.never-pull",
    ]
    assert all(c.consequence_of is None for c in found.causes)


def test_of_two_that_are_as_sure_the_earlier_stage_comes_first() -> None:
    # By name alone the order would be reversed.
    found = told({"a": NO_IMAGE, "c": UNSTARTED}, NOT_THERE)
    assert [(c.id, c.confidence) for c in found.causes] == [
        ("image.never-pull", "proven"),
        ("container.command-not-found", "proven"),
    ]


def test_where_each_stands_is_shown_in_both_languages() -> None:
    found = told({"web": NO_IMAGE, "side": UNSTARTED})
    shown = {lang: write_text(Answer(NOW, (), (found,)), lang, 120, colour=False) for lang in ("en", "zh")}
    assert "pull images ✗ web" in shown["en"] and "start containers ✗ side" in shown["en"]
    assert "拉取镜像 ✗ web" in shown["zh"] and "启动容器 ✗ side" in shown["zh"]


def test_a_start_that_failed_comes_after_the_container_was_made() -> None:
    found = told({"c": UNSTARTED})
    assert {s.id: s.state for s in found.stages}["containers-created"] == "done"
    assert stands(found) == ["started"]
    assert not any(s.note for s in found.stages)
