"""Nothing is well of which its presence alone was judged, and a failing part is told whatever its list in the status is called."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stages.shapes import shape
from tests.stages.test_reported import asked


def test_an_object_that_is_only_there_is_not_ticked_off() -> None:
    answer = asked({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "f", "uid": "u-1"}, "data": {"a": "b"}})
    assert (answer.state.name, answer.state.unjudged) == ("fine", True)
    assert answer.state.headline.en.endswith("exists and is not being deleted; nothing else of it is judged")


@pytest.mark.parametrize(("phase", "unjudged"), [("Bound", False), ("Available", False), ("Released", True)])
def test_a_phase_is_a_positive_fact(phase: str, unjudged: bool) -> None:
    volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "a", "uid": "u-1"}, "status": {"phase": phase}}
    answer = asked(volume).state
    assert (answer.name, answer.unjudged) == ("fine", unjudged)


@pytest.mark.parametrize(("status", "state"), [({}, "unknown"), ({"allocation": {"devices": {"results": [{"device": "gpu-0"}]}}}, "fine")])
def test_a_claim_for_devices_is_well_once_it_has_some(status: dict[str, Any], state: str) -> None:
    claim = shape("resource.k8s.io/v1", "ResourceClaim", status) | {"spec": {"devices": {"requests": [{"name": "gpu"}]}}}
    assert asked(claim).state.name == state


@pytest.mark.parametrize("place", ["resources", "outcome", "deeper"])
def test_a_failing_row_is_told_whatever_its_list_is_called(place: str) -> None:
    rows = [{"kind": "Ingress", "name": "web", "namespace": "f", "status": "SyncFailed", "message": "the host is taken"}]
    status: dict[str, Any] = {"result": {place: rows}} if place == "deeper" else {place: rows}
    found = asked(shape("example.com/v1", "Widget", status))
    assert found.state.name == "stuck" and [o.message for o in found.state.own] == ["the host is taken"]
    assert [c.id for c in found.causes] == ["reported.own-words"]


@pytest.mark.parametrize(
    "status",
    [
        {"history": [{"name": "v1", "status": "failed", "message": "timed out"}]},
        {"resources": [{"kind": "Ingress", "name": "web", "status": "Synced", "message": "configured"}]},
        {"resources": [{"kind": "Ingress", "name": "web", "status": "Wobbling", "message": "who knows"}]},
        {"resources": ["failed", None, {"status": {"a": 1}, "message": "x"}, [{"status": "failed"}]]},
    ],
)
def test_a_row_of_the_past_or_of_an_unknown_word_claims_nothing(status: dict[str, Any]) -> None:
    found = asked(shape("example.com/v1", "Widget", status))
    assert found.state.name != "stuck" and not found.causes
