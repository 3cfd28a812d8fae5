"""A saved Snapshot of any content reads back as the same Snapshot; older and newer documents end in one
line.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.facts.strategies import make_facts
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.codec import FORMAT, FormatError, Saved, load, read_fact, save, to_json
from unstuck.facts.core import Fact, Ref, Refused
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.unasked import make_unasked

NOW = datetime(2026, 11, 21, tzinfo=UTC)


@settings(deadline=None)
@given(st.lists(make_facts(), max_size=4))
def test_a_saved_snapshot_reads_back(some: list[Fact]) -> None:
    saved = Saved(Snapshot(some, NOW, ("live:lab",)), Ref("Pod", "default", "a"), 30.0)
    document = json.loads(json.dumps(save(saved, "0.1.0")))
    again = load(document)
    assert again.snapshot.facts == saved.snapshot.facts
    assert (again.snapshot.now, again.snapshot.sources, again.asked, again.after) == (
        NOW,
        ("live:lab",),
        saved.asked,
        30.0,
    )
    assert save(again, "0.1.0") == save(saved, "0.1.0")


def test_a_newer_format_is_refused_in_one_line() -> None:
    with pytest.raises(FormatError, match="newer") as error:
        load({"format": FORMAT + 1, "at": "2026-11-21T00:00:00Z", "facts": []})
    assert "\n" not in str(error.value)


def test_a_fact_of_a_later_version_is_left_out() -> None:
    later = {"type": "SomethingNew", "about": {"kind": "Pod"}, "src": {"where": "x"}}
    assert (
        load({"format": FORMAT, "at": "2026-11-21T00:00:00Z", "facts": [later]}).snapshot.facts == frozenset()
    )


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda v: st.lists(v) | st.dictionaries(st.text(), v),
    )
)
def test_what_is_no_snapshot_is_refused(document: object) -> None:
    with pytest.raises(FormatError):
        load(document)


@given(
    st.dictionaries(
        st.sampled_from(["type", "about", "src", "names", "items", "requested"]),
        st.none() | st.text() | st.integers() | st.lists(st.text()),
    )
)
def test_a_mangled_fact_is_refused_or_left_out(fact: dict[str, object]) -> None:
    fact["type"] = "Names"
    try:
        load({"format": FORMAT, "at": "2026-11-21T00:00:00Z", "facts": [fact]})
    except FormatError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("where", "origin"), [("not asked", "nobody"), ("scan", "scan"), ("/api/v1/pods", "answer")]
)
def test_an_older_refusal_gets_its_origin_from_its_source(where: str, origin: str) -> None:
    saved = {
        "type": "Refused",
        "about": {"kind": "PodList"},
        "src": {"where": where},
        "want": "PlacingInputs",
        "why": "not-asked",
    }
    found = read_fact(saved)
    assert isinstance(found, Refused) and found.origin == origin
    assert read_fact(to_json(found)) == found


def test_what_nobody_was_asked_reads_in_an_older_version_too() -> None:
    written = to_json(make_unasked(PlacingInputs, Ref("PodList"), "scan"))
    assert {k: v for k, v in written.items() if k != "origin"} == {
        "type": "Refused",
        "about": {"kind": "PodList"},
        "src": {"where": "scan"},
        "want": "PlacingInputs",
        "why": "not-asked",
    }
