"""A runtime's failure, and its Node's later own reports."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from unstuck.causes.runtime.unresponsive import CAUSE
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.verdict import Undecided, judge
from unstuck.facts.aspects.objects import Condition, Conditions, Failure
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.runtime import was_ready_since

NOW = datetime(2026, 11, 21, tzinfo=UTC)
NODE = Ref("Node", None, "n-1")


def snapshot(minutes: float, ready: Condition | None) -> Snapshot:
    """Return a Snapshot with a runtime unreachable this many minutes ago."""
    src = Source("events", "kubelet", at=NOW - timedelta(minutes=minutes))
    facts: list[Fact] = [
        Failure(
            about=NODE, src=src, operation="runtime-ready", error="runtime-gone", message="connection error"
        )
    ]
    if ready:
        facts.append(Conditions(about=NODE, src=Source("node"), items=(ready,), whole=True))
    return Snapshot(facts, NOW)


def unknown(minutes: float) -> Condition:
    return Condition("Ready", "Unknown", "NodeStatusUnknown", since=NOW - timedelta(minutes=minutes))


def well(minutes: float) -> Condition:
    return Condition(
        "Ready",
        "True",
        "KubeletReady",
        since=NOW - timedelta(days=3),
        updated=NOW - timedelta(minutes=minutes),
    )


@pytest.mark.parametrize(
    ("failed", "ready", "overcome"),
    [
        (10, unknown(1), True),
        (3, unknown(1), False),
        (10, well(1), True),
        (3, well(1), False),
        (3, None, False),
        (10, Condition("Ready", "True"), False),
    ],
)
def test_what_a_node_that_was_ready_for_minutes_since_has_overcome_speaks_for_nothing(
    failed: float, ready: Condition | None, overcome: bool
) -> None:
    snap = snapshot(failed, ready)
    (failure,) = snap.every(Failure)
    assert was_ready_since(failure, NODE, snap) is overcome
    verdict = judge(CAUSE.rule(NODE, snap), Sign(True))
    assert isinstance(verdict, Undecided) and verdict.possible is not overcome
