"""Output of `kubectl rollout status`, as the state of the workload."""

from __future__ import annotations

from tests.text.support import pick, read_facts
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Conditions

WAITS = 'Waiting for deployment "web" rollout to finish: {}...\n'


def test_the_last_counts_hold() -> None:
    text = WAITS.format("1 out of 3 new replicas have been updated") + WAITS.format(
        "1 of 3 updated replicas are available"
    )
    (one,) = pick(read_facts(text), Workload)
    assert (one.about.kind, one.about.name, one.wanted, one.ready, one.updated) == (
        "Deployment",
        "web",
        3,
        1,
        3,
    )


def test_pods_of_before_are_not_counted_as_failing() -> None:
    (one,) = pick(read_facts(WAITS.format("1 out of 3 new replicas have been updated")), Workload)
    assert (one.ready, one.updated) == (3, 1)


def test_a_daemon_set() -> None:
    (one,) = pick(
        read_facts(
            'Waiting for daemon set "agent" rollout to finish: 2 of 5 updated pods are available...\n'
        ),
        Workload,
    )
    assert (one.about.kind, one.about.name, one.wanted, one.ready) == ("DaemonSet", "agent", 5, 2)


def test_a_missed_deadline_is_the_condition_that_the_controller_writes() -> None:
    (one,) = pick(read_facts('error: deployment "web" exceeded its progress deadline\n'), Conditions)
    assert [(c.type, c.status, c.reason) for c in one.items] == [
        ("Progressing", "False", "ProgressDeadlineExceeded")
    ]


def test_a_rollout_that_ended_well_has_no_counts_left() -> None:
    text = (
        WAITS.format("1 of 3 updated replicas are available") + 'deployment "web" successfully rolled out\n'
    )
    assert not pick(read_facts(text), Workload)
