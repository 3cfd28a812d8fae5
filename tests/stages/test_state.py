"""When a Pod that runs is called stuck, and when it is given its time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from unstuck.collect.text import read_text
from unstuck.engine import diagnose
from unstuck.facts.aspects.pod import ContainerStatus, Termination
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import loops
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 3, 0, 0, tzinfo=UTC)


def running(restarts: int, ran: float, runs: float) -> ContainerStatus:
    """A container that ran for `ran` seconds the last time and runs for `runs` seconds now."""
    since = NOW - timedelta(seconds=runs)
    ended = since - timedelta(seconds=20)
    last = Termination(0, "Completed", started=ended - timedelta(seconds=ran), finished=ended)
    return ContainerStatus("c", "main", "running", since=since, last=last, ready=True, started=True, restarts=restarts)


@pytest.mark.parametrize(
    ("status", "looping"),
    [
        (running(restarts=4, ran=5, runs=3), True),
        (running(restarts=4, ran=0, runs=2), True),
        # It runs for longer than it ever did.
        (running(restarts=4, ran=5, runs=60), False),
        # One restart is no loop, and nor is one after a long run.
        (running(restarts=1, ran=5, runs=3), False),
        (running(restarts=4, ran=3600, runs=3), False),
        (ContainerStatus("c", "main", "running", since=NOW, restarts=4), False),
        (ContainerStatus("c", "main", "waiting", reason="CrashLoopBackOff", restarts=4), False),
    ],
)
def test_a_container_that_is_up_between_two_restarts(status: ContainerStatus, looping: bool) -> None:
    assert loops(status, NOW) is looping


def pod(probe: str, seconds_up: int) -> Snapshot:
    """A Pod whose one container runs and is not ready."""
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
        ("startupProbe: {exec: {command: [a]}, periodSeconds: 10, failureThreshold: 180}", 600, "progressing"),
        ("startupProbe: {exec: {command: [a]}, periodSeconds: 10, failureThreshold: 18}", 600, "stuck"),
        ("readinessProbe: {exec: {command: [a]}, initialDelaySeconds: 300}", 200, "progressing"),
    ],
)
def test_a_pod_is_given_the_time_of_its_own_probes(probe: str, seconds_up: int, state: str) -> None:
    snap = pod(probe, seconds_up)
    assert diagnose(Ref("Pod", "f", "slow"), snap, ()).state.name == state
