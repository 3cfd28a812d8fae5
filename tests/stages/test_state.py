"""The limit between a stuck running Pod and one still within its time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from unstuck.collect.text import read_text
from unstuck.engine import diagnose
from unstuck.facts.aspects.disruption import Evictions, Guarded
from unstuck.facts.aspects.objects import Below
from unstuck.facts.aspects.pod import ContainerStatus, Termination
from unstuck.facts.core import Ref, Source
from unstuck.facts.derive.pods import is_looping
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 3, 0, 0, tzinfo=UTC)


def running(restarts: int, ran: float, runs: float) -> ContainerStatus:
    """Return a container with a last run of `ran` seconds and a current run of `runs` seconds."""
    since = NOW - timedelta(seconds=runs)
    ended = since - timedelta(seconds=20)
    last = Termination(0, "Completed", started=ended - timedelta(seconds=ran), finished=ended)
    return ContainerStatus(
        "c", "main", "running", since=since, last=last, ready=True, started=True, restarts=restarts
    )


@pytest.mark.parametrize(
    ("status", "looping"),
    [
        (running(restarts=4, ran=5, runs=3), True),
        (running(restarts=4, ran=0, runs=2), True),
        # It has outlived its earlier runs.
        (running(restarts=4, ran=5, runs=60), False),
        # One restart is no loop, and nor is one after a long run.
        (running(restarts=1, ran=5, runs=3), False),
        (running(restarts=4, ran=3600, runs=3), False),
        (ContainerStatus("c", "main", "running", since=NOW, restarts=4), False),
        (ContainerStatus("c", "main", "waiting", reason="CrashLoopBackOff", restarts=4), False),
    ],
)
def test_a_container_that_is_up_between_two_restarts(status: ContainerStatus, looping: bool) -> None:
    assert is_looping(status, NOW) is looping


def pod(probe: str, seconds_up: int) -> Snapshot:
    """Return a Pod with one running container that is not ready."""
    text = f"""
apiVersion: v1
kind: Pod
metadata: {{name: slow, namespace: f, uid: u-1, creationTimestamp: "2026-11-21T02:00:00Z"}}
spec:
  nodeName: lab-1
  containers: [{{name: c, image: i, {probe}}}]
status:
  phase: Running
  conditions: [{{type: PodScheduled, status: "True"}}, {{type: Initialized, status: "True"}}, {{type: Ready, status: "False"}}]
  containerStatuses:
  - {{name: c, image: i, ready: false, started: false, restartCount: 0, containerID: "containerd://a",
     state: {{running: {{startedAt: "{(NOW - timedelta(seconds=seconds_up)).isoformat()}"}}}}}}
"""
    return Snapshot(read_text(text, "pod.yaml", NOW).facts, NOW)


@pytest.mark.parametrize(
    ("probe", "seconds_up", "state"),
    [
        ("readinessProbe: {exec: {command: [a]}}", 50, "progressing"),
        ("readinessProbe: {exec: {command: [a]}}", 100, "stuck"),
        ("startupProbe: {exec: {command: [a]}, periodSeconds: 10, failureThreshold: 180}", 50, "progressing"),
        # Its author allows it half an hour.
        (
            "startupProbe: {exec: {command: [a]}, periodSeconds: 10, failureThreshold: 180}",
            600,
            "progressing",
        ),
        ("startupProbe: {exec: {command: [a]}, periodSeconds: 10, failureThreshold: 18}", 600, "stuck"),
        ("readinessProbe: {exec: {command: [a]}, initialDelaySeconds: 300}", 200, "progressing"),
    ],
)
def test_a_pod_is_given_the_time_of_its_own_probes(probe: str, seconds_up: int, state: str) -> None:
    snap = pod(probe, seconds_up)
    assert diagnose(Ref("Pod", "f", "slow"), snap, ()).state.name == state


def node(cordoned: str, *held: Guarded) -> Snapshot:
    """Return a Ready Node with its unevictable Pods."""
    text = f"""
apiVersion: v1
kind: Node
metadata: {{name: n-1, uid: u-1, creationTimestamp: "2026-11-20T02:00:00Z"}}
spec: {{unschedulable: {cordoned}}}
status: {{allocatable: {{cpu: "2"}}, conditions: [{{type: Ready, status: "True"}}]}}
"""
    told = Evictions(
        about=Ref("Node", None, "n-1"), src=Source("/apis/policy/v1/poddisruptionbudgets"), items=held
    )
    return Snapshot([*read_text(text, "node.yaml", NOW).facts, told], NOW)


def guarded(desired: int, seconds: float | None) -> Guarded:
    """Return one of two Pods whose budget has allowed no disruption for this long."""
    since = None if seconds is None else NOW - timedelta(seconds=seconds)
    return Guarded(Ref("Pod", "f", "a"), Ref("PodDisruptionBudget", "f", "b"), 1, desired, 2, since=since)


@pytest.mark.parametrize(
    ("cordoned", "held", "state", "said"),
    [
        ("false", (guarded(1, 300),), "fine", "Node n-1 — Ready"),
        ("true", (), "held", "Node n-1 — Ready,SchedulingDisabled: cordoned"),
        ("true", (guarded(1, 300),), "stuck", "cannot be drained: 1 Pod may not be evicted, for 5 min"),
        # A Pod of the set has just moved: its budget allows the next one soon.
        ("true", (guarded(1, 20),), "progressing", "1 Pod may not be evicted yet"),
        # It never allows any, and an old server does not show the beginning.
        ("true", (guarded(2, 20),), "stuck", "1 Pod may not be evicted"),
        ("true", (guarded(1, None),), "stuck", "1 Pod may not be evicted"),
    ],
)
def test_a_cordoned_node_is_not_fine_while_no_drain_of_it_can_end(
    cordoned: str, held: tuple[Guarded, ...], state: str, said: str
) -> None:
    answer = diagnose(Ref("Node", None, "n-1"), node(cordoned, *held), ()).state
    assert answer.name == state
    assert said in answer.headline.en


def test_a_ready_node_that_is_short_of_something_is_not_said_to_be_ready_alone() -> None:
    text = """
apiVersion: v1
kind: Node
metadata: {name: n-1}
status:
  conditions: [{type: DiskPressure, status: "True"}, {type: PIDPressure, status: "False"}, {type: Ready, status: "True"}]
"""
    answer = diagnose(
        Ref("Node", None, "n-1"), Snapshot(read_text(text, "node.yaml", NOW).facts, NOW), ()
    ).state
    assert (answer.name, answer.headline.en) == ("stuck", "Node n-1 — Ready, but reports DiskPressure")


def stateful(*pods: tuple[str, int, str], wanted: int = 3, listed: bool = True) -> Snapshot:
    """Return an old StatefulSet with one Pod down. pods: name, seconds since binding, its container's
    status.
    """
    made = f"""
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: pg, namespace: f, uid: u-0, creationTimestamp: "2026-10-01T00:00:00Z"}}
spec: {{replicas: {wanted}}}
status: {{replicas: {wanted}, readyReplicas: {wanted - 1}, updatedReplicas: {wanted}}}
"""
    for name, seconds, status in pods:
        ready = "True" if "ready: true" in status else "False"
        at = (NOW - timedelta(seconds=seconds)).isoformat()
        made += f"""
---
apiVersion: v1
kind: Pod
metadata:
  {{name: {name}, namespace: f, uid: u-{name}, creationTimestamp: "{at}",
   ownerReferences: [{{apiVersion: apps/v1, kind: StatefulSet, name: pg, uid: u-0, controller: true}}]}}
spec: {{nodeName: lab-1, containers: [{{name: c, image: i}}]}}
status:
  phase: {"Running" if ready == "True" else "Pending"}
  startTime: "{at}"
  conditions:
  - {{type: PodScheduled, status: "True", lastTransitionTime: "{at}"}}
  - {{type: Initialized, status: "True", lastTransitionTime: "{at}"}}
  - {{type: Ready, status: "{ready}", lastTransitionTime: "{at}"}}
  containerStatuses: [{{name: c, image: i, restartCount: 0, {status}}}]
"""
    refs = tuple(Ref("Pod", "f", name, f"u-{name}") for name, _, _ in pods)
    below = Below(
        about=Ref("StatefulSet", "f", "pg"), src=Source("/api/v1/namespaces/f/pods"), kind="Pod", refs=refs
    )
    return Snapshot([*read_text(made, "all.yaml", NOW).facts, *((below,) if listed else ())], NOW)


UP = (
    'ready: true, started: true, containerID: "containerd://a", state: {running: {startedAt: '
    '"2026-10-01T00:00:10Z"}}'
)
COMING = "ready: false, started: false, state: {waiting: {reason: ContainerCreating}}"
BROKEN = "ready: false, started: false, state: {waiting: {reason: ImagePullBackOff}}"
OLD = 4_000_000


@pytest.mark.parametrize(
    ("pods", "state"),
    [
        # Its Pod was recreated a moment ago.
        ((("pg-0", OLD, UP), ("pg-1", 20, COMING), ("pg-2", OLD, UP)), "progressing"),
        # Longer ago than a Pod's time to start.
        ((("pg-0", OLD, UP), ("pg-1", 400, COMING), ("pg-2", OLD, UP)), "stuck"),
        # It will not come up as it is, however young.
        ((("pg-0", OLD, UP), ("pg-1", 20, BROKEN), ("pg-2", OLD, UP)), "stuck"),
        # Its Pod was never created.
        ((("pg-0", OLD, UP), ("pg-2", OLD, UP)), "stuck"),
    ],
)
def test_a_workload_that_tells_no_time_is_given_that_of_its_pods(
    pods: tuple[tuple[str, int, str], ...], state: str
) -> None:
    answer = diagnose(Ref("StatefulSet", "f", "pg"), stateful(*pods), ()).state
    assert (answer.name, answer.headline.en) == (state, "StatefulSet f/pg — 1 of 3 not ready")
    if state == "progressing":
        assert answer.since == NOW - timedelta(seconds=20)


def test_a_scan_sees_the_pods_that_are_not_up_alone() -> None:
    """Their owner is known by what they say themselves, and that the others are up by its own status."""
    for pods, state in (
        ((("pg-1", 20, COMING),), "progressing"),
        ((("pg-1", 400, COMING),), "stuck"),
        ((), "stuck"),
    ):
        assert diagnose(Ref("StatefulSet", "f", "pg"), stateful(*pods, listed=False), ()).state.name == state
    names = tuple(Ref("Pod", "f", f"pg-{i}", f"u-pg-{i}") for i in range(3))
    below = Below(
        about=Ref("StatefulSet", "f", "pg"), src=Source("/api/v1/namespaces/f/pods"), kind="Pod", refs=names
    )
    snap = stateful(("pg-1", 20, COMING), listed=False).plus([below])
    assert diagnose(Ref("StatefulSet", "f", "pg"), snap, ()).state.name == "progressing"


@pytest.mark.parametrize(("age", "name"), [("1m (x7 over 9m)", "stuck"), ("5s", "fine")])
def test_a_released_volume_is_stuck_once_deleting_it_fails_again_and_again(age: str, name: str) -> None:
    text = (
        "Name:            pv-1\nLabels:          <none>\nStatus:          Released\nClaim:           "
        "f/data\nReclaim Policy:  Delete\n"
        "Source:\n    Type:    CSI (a Container Storage Interface (CSI) volume source)\n    Driver:  "
        "csi.example.com\n"
        "Events:\n  Type     Reason              Age  From             Message\n  ----     ------           "
        "   ---- ----  -------\n"
        f"  Warning  VolumeFailedDelete  {age}  csi.example.com  persistentvolume pv-1 is still attached to "
        "node n-1\n"
    )
    snap = Snapshot(tuple(read_text(text, "pv.txt", NOW).facts), NOW)
    assert diagnose(Ref("PersistentVolume", None, "pv-1"), snap, ()).state.name == name


@pytest.mark.parametrize(("status", "state"), [("True", "stuck"), ("False", "progressing")])
def test_a_job_that_was_given_up_is_not_fine(status: str, state: str) -> None:
    text = f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: demo, namespace: default, uid: u1, creationTimestamp: "2026-11-21T02:59:30Z"}}
spec: {{parallelism: 1, completions: 1, backoffLimit: 6}}
status:
  failed: 7
  conditions:
  - {{type: Failed, status: "{status}", reason: BackoffLimitExceeded, message: reached, lastTransitionTime: "2026-11-21T02:59:50Z"}}
"""
    snap = Snapshot(read_text(text, "job.yaml", NOW).facts, NOW)
    found = diagnose(Ref("Job", "default", "demo"), snap, ()).state
    assert found.name == state
    assert ("Failed: BackoffLimitExceeded: reached" in found.headline.en) is (status == "True")


def test_a_node_on_which_the_systems_own_pod_is_stuck_is_not_fine() -> None:
    text = f"""
apiVersion: v1
kind: Node
metadata: {{name: n-1, uid: u-1, creationTimestamp: "2026-11-20T02:00:00Z"}}
status: {{conditions: [{{type: Ready, status: "True"}}]}}
---
apiVersion: v1
kind: Pod
metadata:
  name: kube-proxy-x
  namespace: kube-system
  uid: u-2
  creationTimestamp: "2026-11-20T02:00:00Z"
  ownerReferences: [{{apiVersion: apps/v1, kind: DaemonSet, name: kube-proxy, uid: u-3, controller: true}}]
spec: {{nodeName: n-1, containers: [{{name: c, image: i}}]}}
status:
  phase: Running
  conditions: [{{type: PodScheduled, status: "True"}}, {{type: Ready, status: "False"}}]
  containerStatuses:
  - {{name: c, image: i, ready: false, restartCount: 9, state: {{waiting: {{reason: CrashLoopBackOff}}}}, lastState:
      {{terminated: {{exitCode: 1, finishedAt: "{(NOW - timedelta(seconds=50)).isoformat()}"}}}}}}
"""
    proxy, beside = Ref("Pod", "kube-system", "kube-proxy-x", "u-2"), Ref("Pod", "shop", "web-1")
    facts = read_text(text, "x.yaml", NOW).facts
    below = Below(
        about=Ref("Node", None, "n-1"), src=Source("/api/v1/pods"), kind="Pod", refs=(proxy, beside)
    )
    answer = diagnose(Ref("Node", None, "n-1"), Snapshot([*facts, below], NOW), ()).state
    assert answer.name == "stuck"
    assert "kube-system/kube-proxy-x is not: CrashLoopBackOff" in answer.headline.en
