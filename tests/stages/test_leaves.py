"""A status is read to its leaves: errors of parts count as the object's own messages, past ones do not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stages.shapes import asked, make_condition, shape
from unstuck.collect.objects.leaves import find_innermost

_TRACE = (
    "com.acme.LinkException: cannot start the link\n\tat com.acme.Link.start(Link.java:9)\n\t... 3 more\n"
    "Caused by: com.acme.Wrapped: no luck\n\tat com.acme.Link.run(Link.java:1)\n"
    "Caused by: java.sql.SQLException: role meter may not read table readings"
)


def say_all(status: dict[str, Any], api: str = "example.com/v1") -> tuple[str, list[str], str]:
    """Return the state, the causes and their sentences for an object with this status."""
    found = asked(shape(api, "Widget", status, size=3))
    told = " ".join(c.finding.says.en for c in found.causes)
    return found.state.name, [c.id for c in found.causes], told


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (
            {
                "link": {
                    "lanes": [{"id": 0, "state": "FAILED", "trace": _TRACE}, {"id": 1, "state": "RUNNING"}]
                }
            },
            ["status.link.lanes[0]", "role meter may not read table readings"],
        ),
        (
            {
                "state": "attached",
                "robustness": "degraded",
                "copies": {"r-3": {"state": "failed", "message": "no disk is free"}},
            },
            ["status.copies.r-3", "no disk is free"],
        ),
        ({"byNode": [{"id": "a", "errors": [{"code": "x", "message": "line 4: no such word"}]}]}, ["line 4"]),
        (
            {"shards": {"two": {"state": "Failed", "message": "disk is read-only"}}},
            ["shards.two", "read-only"],
        ),
        ({"sync": {"targets": [{"name": "eu", "error": "x509: unknown authority"}]}}, ["[eu]", "x509"]),
        ({"failedSteps": [{"name": "copy", "reason": "bucket is not there"}]}, ["[copy]", "bucket"]),
        (
            {
                "parts": [
                    {"name": "a", "phase": "Error", "tries": [{"phase": "Error", "error": "bad reply 502"}]}
                ]
            },
            ["bad reply 502"],
        ),
    ],
)
def test_the_words_of_a_part_are_the_objects_own(status: dict[str, Any], words: list[str]) -> None:
    state, causes, told = say_all(status)
    assert (state, causes) == ("stuck", ["reported.own-words"])
    assert all(w in told for w in words), told


_FAILED = {"phase": "Error", "message": "bad reply 502"}


@pytest.mark.parametrize(
    "status",
    [
        {"errors": 0, "failedSteps": 2, "parts": [{"name": "a", "errors": 0}]},
        {"failedSteps": ["copy", "move"], "parts": [{"name": "a", "failedPods": ["u-1"]}]},
        {"retriesStatus": [{"name": "a", **_FAILED}], "attempts": [{"name": "b", **_FAILED}]},
        {"parts": [{"name": "a", "lastState": {"terminated": {"error": "exit code 1"}}}]},
        {
            "parts": [
                {
                    "name": "a",
                    "measurements": [
                        {**_FAILED, "finishedAt": "2026-11-20T01:00:00Z"},
                        {"phase": "Successful", "message": "ok", "finishedAt": "2026-11-20T02:00:00Z"},
                    ],
                }
            ]
        },
        {"parts": [{"name": "a", "phase": "Successful", "tries": [_FAILED]}]},
        {"conditions": [make_condition("Ready")], "byNode": [{"id": "a", "errors": ["it was slow once"]}]},
        {"conditions": [make_condition("Ready")], "lastError": "it was slow once"},
        {"conditions": [make_condition("Ready")], "move": {"job": {"error": "it was slow once"}}},
    ],
)
def test_what_is_past_or_a_number_claims_nothing(status: dict[str, Any]) -> None:
    state, causes, _ = say_all(status)
    assert state in ("fine", "unknown") and not causes
    assert "conditions" not in status or state == "fine"


def test_a_last_error_may_be_overcome() -> None:
    found = asked(shape("example.com/v1", "Widget", {"lastError": "the store does not answer"}, size=3))
    assert found.state.name == "unknown" and [o.message for o in found.state.own] == [
        "the store does not answer"
    ]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (_TRACE, "java.sql.SQLException: role meter may not read table readings: com.acme.LinkException"),
        ('Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no such zone', "ValueError"),
        ("Error: no such zone\n    at run (a.js:1)\n    at main (a.js:9)", "Error: no such zone"),
        ("line one\nline two", "line one\nline two"),
    ],
)
def test_a_trace_begins_with_its_innermost_cause(text: str, first: str) -> None:
    assert find_innermost(text).startswith(first)
