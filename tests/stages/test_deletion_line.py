"""The stage line of a Pod's deletion: the current stage, and the open questions of each stage."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.engine import diagnose
from unstuck.facts.aspects.cluster import Lease, NodeInfo
from unstuck.facts.aspects.host import PodDirectory, PodProcesses, Proc
from unstuck.facts.aspects.kubelet import KubeletPod
from unstuck.facts.aspects.objects import (
    Condition,
    Conditions,
    Deletion,
    Event,
    Events,
    Failure,
    Finalizers,
    Phase,
    Presence,
)
from unstuck.facts.aspects.pod import ContainerStatus, ContainerStatuses, Life, Placement
from unstuck.facts.core import Fact, Ref, Source, Want
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.lines import gate_any, list_stages

NOW = datetime(2026, 11, 21, 0, 10, tzinfo=UTC)
POD = Ref("Pod", "d", "p", "00000000-0000-4000-8000-000000000001")
NODE = Ref("Node", None, "n-1")
SRC = Source("test")


def _pod(state: str, *more: Fact, due: timedelta = timedelta(minutes=-5), phase: str = "Running") -> Snapshot:
    status = ContainerStatus("c", "main", state)
    facts: tuple[Fact, ...] = (
        Presence(about=POD, src=SRC, exists=True),
        Deletion(about=POD, src=SRC, requested=True, due=NOW + due, grace=30),
        Placement(about=POD, src=SRC, node=NODE),
        Phase(about=POD, src=SRC, phase=phase),
        Finalizers(about=POD, src=SRC, names=()),
        ContainerStatuses(about=POD, src=SRC, items=(status,)),
    )
    return Snapshot((*facts, *more), NOW)


def _node(ready: str, age: float) -> tuple[Fact, ...]:
    return (
        Conditions(about=NODE, src=SRC, items=(Condition("Ready", ready),)),
        Lease(about=NODE, src=SRC, renewed=NOW - timedelta(seconds=age)),
    )


def _killing() -> Fact:
    """Return the Event of a kubelet that has begun to stop the Pod."""
    event = Event("Killing", "Stopping container c", "Normal", 1, None, "kubelet")
    return Events(about=POD, src=SRC, whole=False, items=(event,))


def _states(snap: Snapshot) -> dict[str, str]:
    return {s.id: s.state for s in list_stages(POD, snap)}


def test_within_its_grace_the_pod_stands_there_though_nobody_told_whether_the_kubelet_saw_it() -> None:
    states = _states(_pod("running", due=timedelta(minutes=1)))
    assert states["kubelet-saw-it"] == "unknown"
    assert states["grace-over"] == "not-done"
    assert states["volumes-unmounted"] == "later"


def test_a_reported_running_container_closes_the_stages_after_it_where_its_node_reports() -> None:
    states = _states(_pod("running", *_node("True", 5)))
    assert states["containers-stopped"] == "unknown", "whether the kubelet saw the deletion is open"
    assert states["volumes-unmounted"] == states["cgroup-removed"] == "later"


def test_an_old_report_of_a_silent_node_says_nothing_about_its_containers() -> None:
    assert _states(_pod("running", *_node("Unknown", 300)))["containers-stopped"] == "unknown"


def test_the_nodes_processes_outweigh_a_report_that_one_runs() -> None:
    gone = PodProcesses(about=POD, src=SRC, items=())
    assert _states(_pod("running", *_node("Unknown", 300), _killing(), gone))["containers-stopped"] == "done"


def test_a_process_left_over_does_not_open_what_the_kubelet_reported_done() -> None:
    left = PodProcesses(about=POD, src=SRC, items=(Proc(7, "sh", "S"),))
    assert _states(_pod("terminated", left, phase="Failed"))["containers-stopped"] == "done"


def test_a_deletion_without_its_time_leaves_the_grace_open() -> None:
    snap = Snapshot([Deletion(about=POD, src=SRC, requested=True)], NOW)
    assert _states(snap)["grace-over"] == "unknown"


def test_a_stage_of_starting_is_open_while_nobody_told_whether_the_pod_goes() -> None:
    facts = [Presence(about=POD, src=SRC, exists=True), Placement(about=POD, src=SRC, node=None)]
    open_ = Snapshot(facts, NOW)
    assert gate_any(POD, ("scheduled",), list_stages(POD, open_), open_).value is None
    told = Snapshot([*facts, Deletion(about=POD, src=SRC, requested=False)], NOW)
    assert gate_any(POD, ("scheduled",), list_stages(POD, told), told).value is True


def test_what_is_not_being_deleted_is_gated_from_the_causes_of_deletion() -> None:
    ns = Ref("Namespace", None, "n")
    assert gate_any(ns, ("pods-gone",), (), Snapshot([], NOW)).value is None
    assert (
        gate_any(ns, ("pods-gone",), (), Snapshot([Deletion(about=ns, src=SRC, requested=False)], NOW)).value
        is False
    )


def test_a_cause_of_any_kind_is_asked_about_every_kind_but_gated_by_its_line() -> None:
    def rule(subject: Ref, snap: Snapshot) -> Signs:
        return Signs(
            decisive={"always": Sign(True)},
            finding=lambda: Finding(Text("x", "x"), Ref("Thing", None, "x"), (subject,)),
        )

    cause = Cause(
        id="test.any",
        title=Text("x", "x"),
        subjects=("*",),
        reads=frozenset(),
        rule=rule,
        stages=("finalizers-cleared",),
    )
    for kind in ("Widget.example.com", "PersistentVolumeClaim", "Node"):
        ref = Ref(kind, None, "w")
        facts: list[Fact] = [
            Presence(about=ref, src=SRC, exists=True),
            Deletion(about=ref, src=SRC, requested=True, due=NOW - timedelta(hours=1)),
            Finalizers(about=ref, src=SRC, names=("example.com/hold",)),
        ]
        assert [c.id for c in diagnose(ref, Snapshot(facts, NOW), [cause]).causes] == ["test.any"], kind
    ns = Ref("Namespace", None, "n")
    going: list[Fact] = [Deletion(about=ns, src=SRC, requested=True, due=NOW - timedelta(hours=1))]
    assert not diagnose(ns, Snapshot(going, NOW), [cause]).causes, (
        "a Namespace's spec.finalizers are no finalizers of an object"
    )


def _unremovable(kubelet: str | None, *more: Fact) -> str:
    """Return the state of `volumes-unmounted` with an unremovable container and no volume left."""
    refused = Failure(
        about=POD,
        src=SRC,
        whole=False,
        operation="rootfs-remove",
        error="EPERM",
        path="/var/lib/docker/overlay2/x/diff/bash",
    )
    directory = PodDirectory(about=POD, src=SRC, exists=True, volumes=())
    info = (NodeInfo(about=NODE, src=SRC, kubelet=kubelet),) if kubelet else ()
    return _states(_pod("terminated", refused, directory, *info, *more, phase="Failed"))["volumes-unmounted"]


def test_a_container_that_cannot_be_removed_holds_a_pod_with_an_old_kubelet_only() -> None:
    assert _unremovable("v1.12.3") == "not-done"
    assert _unremovable("v1.21.14") == "not-done"
    assert _unremovable("v1.22.0") == "done"
    assert _unremovable("v1.34.4") == "done"
    assert _unremovable(None) == "unknown"


def test_the_deletion_of_a_mirror_says_nothing_about_what_runs_on_its_node() -> None:
    """On the node the static Pod has another uid: that nothing of the mirror's uid is there does not mean
    that it ended.
    """
    mirror = Life(about=POD, src=SRC, created=NOW, mirror=True)
    states = _states(
        _pod("running", mirror, PodProcesses(about=POD, src=SRC, items=()), *_node("Unknown", 300))
    )
    assert states == {
        "requested": "done",
        "kubelet-saw-it": "unknown",
        "final-delete": "unknown",
        "finalizers-cleared": "later",
        "gone": "later",
    }


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        ("kubelet-saw-it", KubeletPod(about=POD, src=SRC, listed=True)),
        (
            "sandbox-stopped",
            Failure(
                about=POD, src=Source("test", at=NOW), operation="sandbox-stop", error="timeout", whole=False
            ),
        ),
        (
            "phase-reported",
            Failure(
                about=POD,
                src=Source("test", at=NOW),
                operation="status-update",
                error="forbidden",
                whole=False,
            ),
        ),
    ],
    ids=["kubelet-saw-it", "sandbox-stopped", "phase-reported"],
)
def test_that_the_pod_stands_there_is_open_while_its_phase_was_not_seen(stage: str, said: Fact) -> None:
    seen = _pod("terminated", said, NodeInfo(about=NODE, src=SRC, kubelet="v1.34.0"))
    unseen = Snapshot([f for f in seen.facts if not isinstance(f, Phase)], NOW)
    assert gate_any(POD, (stage,), list_stages(POD, seen), seen).value is True
    open_ = gate_any(POD, (stage,), list_stages(POD, unseen), unseen)
    assert open_.value is None
    assert Want(Phase, POD) in open_.wants
