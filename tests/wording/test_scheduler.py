"""The scheduler's sentence in each of its eras gives the same parts."""

from __future__ import annotations

import pytest

from unstuck.wording.scheduler import parse_preemption, parse_unschedulable

TAINT = "node(s) had taint {node-role.kubernetes.io/master: }, that the pod didn't tolerate"

ERAS = [
    ("pod (web) failed to fit in any node", (None, ())),
    ("no nodes available to schedule pods", (0, (("no nodes available to schedule pods", 0),))),
    (
        "pod (web) failed to fit in any node\nfit failure on node (n-1): NoVolumeZoneConflict\nfit failure on node (n-2): Insufficient cpu\n"
        "fit failure on node (n-3): NoVolumeZoneConflict",
        (3, (("node(s) had no available volume zone", 2), ("Insufficient cpu", 1))),
    ),
    (
        '[SchedulerPredicates failed due to persistentvolumeclaim "data" not found, which is unexpected., '
        'SchedulerPredicates failed due to persistentvolumeclaim "data" not found, which is unexpected.]',
        (None, (('persistentvolumeclaim "data" not found', 0),)),
    ),
    (
        'PersistentVolumeClaim is not bound: "data" (repeated 5 times)',
        (None, (('PersistentVolumeClaim is not bound: "data"', 0),)),
    ),
    (
        "pod has unbound PersistentVolumeClaims (repeated 2 times)",
        (None, (("pod has unbound PersistentVolumeClaims", 0),)),
    ),
    (
        "pod (web) failed to fit in any node\n"
        "fit failure summary on nodes : Insufficient cpu (1), PodFitsHostPorts (2), MatchNodeSelector (2)",
        (
            None,
            (
                ("Insufficient cpu", 1),
                ("node(s) didn't have free ports for the requested pod ports", 2),
                ("node(s) didn't match node selector", 2),
            ),
        ),
    ),
    (
        "No nodes are available that match all of the predicates: Insufficient ephemeral-storage (2), PodToleratesNodeTaints (3).",
        (
            None,
            (("Insufficient ephemeral-storage", 2), ("node(s) had taints that the pod didn't tolerate", 3)),
        ),
    ),
    (
        "0/3 nodes are available: 1 ExistingPodsAntiAffinityRulesNotMatch, 2 CheckServiceAffinity.",
        (
            3,
            (
                ("node(s) didn't satisfy existing pods anti-affinity rules", 1),
                ("node(s) didn't match service affinity", 2),
            ),
        ),
    ),
    (
        "No nodes are available that match all of the predicates: NoVolumeZoneConflict (3).",
        (None, (("node(s) had no available volume zone", 3),)),
    ),
    (
        "No nodes are available that match all of the following predicates:: Insufficient memory (1).",
        (None, (("Insufficient memory", 1),)),
    ),
    (
        "0/4 nodes are available: 1 Insufficient memory, 3 node(s) had taints that the pod didn't tolerate.",
        (4, (("Insufficient memory", 1), ("node(s) had taints that the pod didn't tolerate", 3))),
    ),
    (f"0/4 nodes are available: 1 Insufficient cpu, 3 {TAINT}.", (4, (("Insufficient cpu", 1), (TAINT, 3)))),
    (
        "0/3 nodes are available: 1 node(s) had untolerated taint {a: b}, 2 Insufficient cpu. "
        "preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
        (3, (("node(s) had untolerated taint {a: b}", 1), ("Insufficient cpu", 2))),
    ),
    (
        "0/3 nodes are available: 3 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/3 nodes are available: "
        "3 Preemption is not helpful for scheduling.",
        (3, (("node(s) had untolerated taint(s)", 3),)),
    ),
    (
        "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found. preemption: 0/2 nodes are available: "
        "2 Preemption is not helpful for scheduling.",
        (2, (("pod has unbound immediate PersistentVolumeClaims", 2),)),
    ),
    (
        "0/30 nodes are available: 1 Insufficient memory, ... 3 node(s) didn't match Pod's node affinity/selector … 2 Too many pods ...",
        (
            30,
            (
                ("Insufficient memory", 1),
                ("node(s) didn't match Pod's node affinity/selector", 3),
                ("Too many pods", 2),
            ),
        ),
    ),
    (
        '0/1 nodes are available: persistentvolumeclaim "data" not found.',
        (1, (('persistentvolumeclaim "data" not found', 1),)),
    ),
    (
        '0/1 nodes are available: persistentvolume "pv-1" not found. not found',
        (1, (('persistentvolume "pv-1" not found', 1),)),
    ),
    (
        '0/1 nodes are available: persistentvolumeclaim "data" bound to non-existent persistentvolume "pv-1". not found',
        (1, (('persistentvolumeclaim "data" bound to non-existent persistentvolume "pv-1"', 1),)),
    ),
    ('persistentvolume "pv-1" not found', (None, (('persistentvolume "pv-1" not found', 0),))),
    (
        "0/2 nodes are available: preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
        (2, ()),
    ),
    (
        "pod has unbound immediate PersistentVolumeClaims",
        (None, (("pod has unbound immediate PersistentVolumeClaims", 0),)),
    ),
    ("running PreBind plugin failed", None),
    ("", None),
]


@pytest.mark.parametrize(("message", "parts"), ERAS, ids=[m[:50] for m, _ in ERAS])
def test_an_era(message: str, parts: object) -> None:
    assert parse_unschedulable(message) == parts


def test_the_preemption_sentence_is_no_second_cause() -> None:
    told = parse_unschedulable(
        "0/2 nodes are available: 2 Too many pods. preemption: 0/2 nodes are available: 2 No preemption victims found."
    )
    assert told == (2, (("Too many pods", 2),))


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            "0/2 nodes are available: 2 Too many pods. preemption: 0/2 nodes are available: 2 No victims.",
            "2 No victims",
        ),
        (
            "0/2 nodes are available. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
            "not eligible due to preemptionPolicy=Never",
        ),
        ("0/2 nodes are available: 2 Too many pods.", ""),
        ("preemption: " + "x" * 5000, "x" * 500),
    ],
)
def test_what_it_says_of_preemption(message: str, words: str) -> None:
    assert parse_preemption(message) == words
