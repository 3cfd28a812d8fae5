"""The controller of a readiness gate: by the whole name or its beginning, and none if unknown."""

from __future__ import annotations

from unstuck.knowledge.readiness_gates import SETTERS, find_setter


def test_a_gate_is_known_by_what_its_name_begins_with() -> None:
    found = find_setter("target-health.elbv2.k8s.aws/k8s-shop-web-0a1b")
    assert found is not None and found.by == "AWS Load Balancer Controller"
    assert find_setter("example.com/warmed-up") is None


def test_each_row_has_its_source_and_none_hides_another() -> None:
    assert all(row.by and row.source for row in SETTERS)
    assert all(find_setter(row.begins) is row for row in SETTERS)
