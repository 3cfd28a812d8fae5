"""A stage line is consistent: a done stage implies earlier ones, and a container's waiting reason implies its
stage.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contract.support import NOW, Loaded, load_all
from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import Stage
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.pods import list_statuses
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.lines import list_stages

BY_FAMILY: dict[str, list[Loaded]] = {}
for one in load_all():
    BY_FAMILY.setdefault(one.cause.id.partition(".")[0], []).append(one)

# The stage of a container with this waiting reason (pkg/kubelet: the order of kuberuntime_container.go,
# startContainer).
STANDS_AT = {
    **dict.fromkeys(
        ("ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName", "ImageInspectError"),
        "images-pulled",
    ),
    **dict.fromkeys(("CreateContainerConfigError", "CreateContainerError"), "containers-created"),
    "RunContainerError": "started",
}
# The possible stages of a container in CrashLoopBackOff: its program ends, or was never started.
CRASHES = ("started", "ready", "stays-up")
AFTER = {
    "ContainerCreating": "kubelet-accepted",
    "PodInitializing": "kubelet-accepted",
    "Running": "init-done",
}


def contradictions(line: tuple[Stage, ...]) -> list[str]:
    done = [i for i, s in enumerate(line) if s.state == "done"]
    return [s.id for i, s in enumerate(line) if s.state == "unknown" and done and i < done[-1]]


def state_at(line: tuple[Stage, ...], stage: str) -> str:
    return next(s.state for s in line if s.id == stage)


def before(line: tuple[Stage, ...], stage: str) -> list[str]:
    """Return the undone stages before this one."""
    ids = [s.id for s in line]
    return [s.id for s in line[: ids.index(stage)] if s.state != "done"]


def subjects(snap: Snapshot) -> set[Ref]:
    """Return the subjects of all facts of the case with a stage line."""
    return {
        snap.canon(f.about)
        for f in snap.facts
        if f.about.kind in ("Pod", "Namespace", "PersistentVolumeClaim")
    }


@pytest.mark.parametrize("family", sorted(BY_FAMILY))
def test_in_no_case_is_a_stage_open_before_one_that_is_done(family: str) -> None:
    wrong = [
        (loaded.name, found)
        for loaded in BY_FAMILY[family]
        for subject in sorted({loaded.subject, *subjects(loaded.snapshot)}, key=lambda r: r.key)
        if (found := contradictions(list_stages(subject, loaded.snapshot)))
    ]
    assert not wrong


def test_in_every_case_a_container_stands_where_its_reason_says() -> None:
    wrong, asked = [], 0
    for loaded in load_all():
        line = list_stages(loaded.subject, loaded.snapshot)
        if not line or line[0].id != "admitted":
            continue
        for one in list_statuses(loaded.subject, loaded.snapshot):
            if one.state == "waiting" and (at := STANDS_AT.get(one.reason)):
                asked += 1
                # Before the Pod is initialized, its init containers stand there, with any waiting reason.
                stage = "init-done" if one.kind == "init" or state_at(line, "init-done") == "not-done" else at
                if state_at(line, stage) != "not-done":
                    wrong.append((loaded.name, one.reason, [(s.id, s.state) for s in line]))
    assert asked > 100
    assert not wrong


def row(status: str, ready: str = "0/1", restarts: str = "3") -> tuple[Stage, ...]:
    table = f"NAME    READY   STATUS   RESTARTS   AGE\nweb-0   {ready}     {status}   {restarts}   2d\n"
    return list_stages(Ref("Pod", None, "web-0"), Snapshot(read_text(table, "paste", NOW).facts, NOW))


@pytest.mark.parametrize("status", sorted(STANDS_AT))
def test_one_row_of_a_table_tells_the_stage(status: str) -> None:
    line = row(status)
    assert state_at(line, STANDS_AT[status]) == "not-done"
    assert before(line, STANDS_AT[status]) == []


@pytest.mark.parametrize("status", sorted(STANDS_AT))
def test_of_several_containers_only_the_one_that_is_told_is_known(status: str) -> None:
    line = row(status, "1/2")
    assert state_at(line, STANDS_AT[status]) == "not-done"
    assert "init-done" not in before(line, STANDS_AT[status]), (
        "one container's turn comes after all init containers"
    )


@pytest.mark.parametrize("status", [*STANDS_AT, "CrashLoopBackOff", "Error", "OOMKilled"])
def test_an_init_containers_reason_tells_that_init_is_not_done(status: str) -> None:
    line = row(f"Init:{status}")
    assert state_at(line, "init-done") == "not-done"
    assert before(line, "init-done") == []


@pytest.mark.parametrize("status", ["CrashLoopBackOff", "Error", "OOMKilled"])
def test_what_crashes_has_its_image_and_was_created(status: str) -> None:
    line = row(status)
    assert before(line, "started") == []
    assert {s.id for s in line if s.state != "done"} <= set(CRASHES)


@pytest.mark.parametrize("status", sorted(AFTER))
def test_what_a_kubelet_has_begun_with_was_accepted(status: str) -> None:
    line = row(status)
    assert state_at(line, AFTER[status]) == "done"
    assert before(line, AFTER[status]) == []


def test_what_runs_and_is_not_ready_waits_for_nothing_before_that() -> None:
    assert before(row("Running"), "ready") == []
    assert {s.state for s in row("Running") if s.id == "ready"} == {"unknown"}


@pytest.mark.parametrize("phase", ["Pending", "Running", "Failed", "Unknown"])
def test_a_pod_without_any_status_has_no_container_behind_it(phase: str) -> None:
    text = f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-0\n  namespace: a\nstatus:\n  phase: {phase}\n"
    line = list_stages(Ref("Pod", "a", "web-0"), Snapshot(read_text(text, "paste", NOW).facts, NOW))
    assert [s.id for s in line if s.state == "not-done"] == []
    assert (state_at(line, "init-done") == "done") == (phase == "Running")
    assert state_at(line, "images-pulled") == "unknown"


WAITS = st.sampled_from([*STANDS_AT, "CrashLoopBackOff", "ContainerCreating", "PodInitializing"]).map(
    lambda reason: {"state": {"waiting": {"reason": reason}}}
)
RAN = {"startedAt": "2026-11-20T10:00:00Z", "finishedAt": "2026-11-20T10:01:00Z"}
ENDS = st.sampled_from([0, 1, 137]).map(
    lambda code: {"terminated": {"exitCode": code, "reason": "Error" if code else "Completed", **RAN}}
)
STATES = st.one_of(
    WAITS, ENDS.map(lambda e: {"state": e}), st.just({"state": {"running": {"startedAt": RAN["startedAt"]}}})
)
STATUS = st.builds(
    lambda state, last, ready: (
        state | ({"lastState": last} if last else {}) | {"ready": ready, "restartCount": 2}
    ),
    STATES,
    st.none() | ENDS,
    st.booleans(),
)
CONDITIONS = st.dictionaries(
    st.sampled_from(["PodScheduled", "PodReadyToStartContainers", "Initialized", "Ready"]),
    st.sampled_from(["True", "False"]),
)


def of_pod(
    init: list[dict[str, Any]],
    main: list[dict[str, Any]],
    conditions: dict[str, str],
    phase: str,
    more: dict[str, Any],
) -> list[Fact]:
    def named(found: list[dict[str, Any]], prefix: str) -> list[dict[str, Any]]:
        return [{"name": f"{prefix}{n}", "image": "i:1", "imageID": "", **s} for n, s in enumerate(found)]

    doc = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "a", "uid": "u-1", **more},
        "spec": {
            "initContainers": [{"name": f"i{n}", "image": "i:1"} for n in range(len(init))],
            "containers": [{"name": f"c{n}", "image": "i:1"} for n in range(len(main))],
        },
        "status": {
            "phase": phase,
            "conditions": [{"type": t, "status": s} for t, s in conditions.items()],
            "initContainerStatuses": named(init, "i"),
            "containerStatuses": named(main, "c"),
        },
    }
    return list(read_text(json.dumps(doc), "paste.json", NOW).facts)


@given(
    st.lists(STATUS, max_size=2),
    st.lists(STATUS, min_size=1, max_size=3),
    CONDITIONS,
    st.sampled_from(["Pending", "Running", "Succeeded", "Failed", "Unknown", ""]),
    st.sampled_from([{}, {"deletionTimestamp": "2026-11-20T23:00:00Z", "deletionGracePeriodSeconds": 30}]),
    st.data(),
)
def test_whatever_was_seen_of_a_pod_its_line_agrees_with_itself(
    init: list[dict[str, Any]],
    main: list[dict[str, Any]],
    conditions: dict[str, str],
    phase: str,
    more: dict[str, Any],
    data: st.DataObject,
) -> None:
    facts = of_pod(init, main, conditions, phase, more)
    seen = data.draw(st.lists(st.sampled_from(facts), unique=True))
    for told in (facts, seen):
        line = list_stages(Ref("Pod", "a", "p"), Snapshot(told, datetime(2026, 11, 21, tzinfo=UTC)))
        assert contradictions(line) == [], [(s.id, s.state) for s in line]
