"""Objects that report a problem are never called fine, healthy ones get no claims, and any input is
accepted.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stages.shapes import AGO, HEALTHY, asked, make_condition, make_status, shape
from unstuck.knowledge.conditions import MEANINGS
from unstuck.knowledge.status_words import STATUS_WORDS


@pytest.mark.parametrize("obj", HEALTHY, ids=lambda o: f"{o['kind']}.{o['apiVersion']}")
def test_of_the_healthy_nothing_is_claimed(obj: dict[str, Any]) -> None:
    answer = asked(obj)
    assert (answer.state.name, answer.causes, answer.state.own) == ("fine", (), ())


_ILL = [
    (f"Widget{kind}" if kind.startswith(".") else kind, t)
    for m in MEANINGS
    if m.true == "ill"
    for kind in m.kinds or ("Widget.example.com",)
    for t in m.types
]
_WELL = st.sampled_from(["Ready", "Available", "Succeeded", "Synced", "Completed"])
_ANY = st.builds(
    make_condition,
    st.sampled_from(["Ready", "Stalled", "Progressing", "Mangled", "BackupFailed", "Paused", ""])
    | st.text(max_size=8),
    st.sampled_from(["True", "False", "Unknown", "", "yes"]),
)


@pytest.mark.parametrize(
    ("kind", "type_"), [(k, t) for k, t in _ILL if "." in k or k == "HorizontalPodAutoscaler"]
)
@given(others=st.lists(st.builds(make_condition, _WELL) | _ANY, max_size=4), place=st.integers(0, 4))
def test_what_is_known_to_be_bad_is_stuck_whatever_stands_beside_it(
    kind: str, type_: str, others: list[dict[str, str]], place: int
) -> None:
    name, _, group = kind.partition(".")
    rows = [
        *others[:place],
        make_condition(type_, reason="Because", message="the disk is on fire"),
        *others[place:],
    ]
    answer = asked(shape(f"{group}/v1", name, make_status(*rows)))
    assert answer.state.name == "stuck"
    assert any(o.message == "the disk is on fire" for o in answer.state.own)


@given(
    type_=st.text(min_size=1, max_size=12),
    status=st.sampled_from(["True", "False", "Unknown", ""]),
    reason=st.text(max_size=8),
)
def test_of_an_unknown_type_nothing_is_claimed(type_: str, status: str, reason: str) -> None:
    known = {t for m in MEANINGS for t in m.types}
    answer = asked(
        shape("example.com/v1", "Widget", make_status(make_condition(f"x{type_}q", status, reason)))
    )
    assert type_ in known or answer.state.name == "unknown"
    assert not answer.causes


@given(
    status=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=6),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "conditions",
                        "phase",
                        "type",
                        "status",
                        "message",
                        "health",
                        "error",
                        "listeners",
                        "observedGeneration",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
    spec=st.dictionaries(
        st.sampled_from(["suspend", "paused", "replicas", "running"]),
        st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    ),
)
def test_no_status_is_too_odd_to_be_read(status: object, spec: dict[str, object]) -> None:
    obj = shape("example.com/v1", "Widget", {}) | {"status": status, "spec": spec}
    assert asked(obj).state.headline.en


@pytest.mark.parametrize("word", sorted(w for row in STATUS_WORDS if row.tone == "ill" for w in row.words))
def test_a_phase_that_is_known_to_be_bad_is_stuck(word: str) -> None:
    answer = asked(shape("example.com/v1", "Widget", {"phase": word, "message": "no room"}))
    assert answer.state.name == "stuck"
    assert [o.message for o in answer.state.own] == ["no room"]


@pytest.mark.parametrize(
    ("obj", "state", "said"),
    [
        # Objects that may become healthy get a short time, failed ones none.
        (
            shape(
                "e.com/v1",
                "W",
                make_status(make_condition("Ready", "False", lastTransitionTime="2026-11-21T02:59:30Z")),
            ),
            "progressing",
            "Ready=False",
        ),
        (
            shape("e.com/v1", "W", make_status(make_condition("Ready", "False", "NoRoom"))),
            "stuck",
            "Ready=False for 25 h: NoRoom",
        ),
        (
            shape(
                "e.com/v1",
                "W",
                make_status(make_condition("Stalled", lastTransitionTime="2026-11-21T02:59:59Z")),
            ),
            "stuck",
            "Stalled=True",
        ),
        # It reports progress; unhealthy for minutes, it may be stuck.
        (
            shape(
                "e.com/v1",
                "W",
                make_status(
                    make_condition("Ready", "Unknown", lastTransitionTime="2026-11-21T02:55:00Z"),
                    make_condition("Reconciling"),
                ),
            ),
            "unknown",
            "Ready=Unknown",
        ),
        (
            shape("e.com/v1", "W", make_status(make_condition("Ready"), observedGeneration=2)),
            "unknown",
            "generation 3",
        ),
        (
            shape(
                "e.com/v1",
                "W",
                make_status(make_condition("Ready"), make_condition("LastBackupSucceeded", "False")),
            ),
            "unknown",
            "LastBackupSucceeded=False",
        ),
        (
            shape("e.com/v1", "W", {"failureMessage": "instance was terminated"}),
            "stuck",
            "status.failureMessage",
        ),
        (shape("e.com/v1", "W", {"phase": "Wobbling"}), "unknown", "status.phase=Wobbling"),
        (
            shape(
                "gateway.networking.k8s.io/v1",
                "HTTPRoute",
                {
                    "parents": [
                        {"parentRef": {"name": "edge"}, **make_status(make_condition("Accepted", "False"))}
                    ]
                },
            ),
            "stuck",
            "status.parents[edge] Accepted=False",
        ),
        (
            shape("velero.io/v1", "Backup", {"phase": "PartiallyFailed"}),
            "stuck",
            "status.phase=PartiallyFailed",
        ),
    ],
)
def test_what_an_object_says_of_itself_is_its_state(obj: dict[str, Any], state: str, said: str) -> None:
    answer = asked(obj).state
    assert answer.name == state
    assert said in answer.headline.en


def test_who_wrote_the_status_is_told_with_its_words() -> None:
    obj = shape(
        "e.com/v1", "W", make_status(make_condition("Ready", "False", "NoRoom", message="disk is full"))
    )
    row = {
        "manager": "widget-operator",
        "time": AGO,
        "subresource": "status",
        "fieldsV1": {"f:status": {"f:conditions": {}}},
    }
    obj["metadata"]["managedFields"] = [row]
    assert [(o.field, o.value, o.reason, o.message, o.by) for o in asked(obj).state.own] == [
        ("condition Ready", "False", "NoRoom", "disk is full", "widget-operator")
    ]


def test_owners_in_a_circle_end_nothing() -> None:
    obj = shape("e.com/v1", "W", make_status(make_condition("Ready", "False")))
    obj["metadata"]["ownerReferences"] = [
        {"apiVersion": "e.com/v1", "kind": "W", "name": "x", "uid": "u-1", "controller": True}
    ]
    assert asked(obj).state.name == "stuck"


@pytest.mark.parametrize(
    ("kind", "version", "status", "state", "said"),
    [
        (
            "ValidatingAdmissionPolicy",
            "admissionregistration.k8s.io/v1",
            {
                "typeChecking": {
                    "expressionWarnings": [
                        {"fieldRef": "spec.validations[0]", "warning": "undefined field 'replica'"}
                    ]
                }
            },
            "unknown",
            "undefined field 'replica'",
        ),
        (
            "Backup",
            "velero.io/v1",
            {"validationErrors": ["no location offsite-s3"]},
            "stuck",
            "no location offsite-s3",
        ),
        ("Widget", "example.com/v1", {"lastErrors": ["the disk was full"]}, "fine", ""),
        ("Widget", "example.com/v1", {"errors": 0, "warnings": []}, "fine", ""),
    ],
)
def test_each_complaint_that_a_status_lists_is_its_own_word(
    kind: str, version: str, status: dict[str, Any], state: str, said: str
) -> None:
    found = asked(shape(version, kind, status)).state
    assert (found.name, next((o.message for o in found.own), "")) == (state, said)
