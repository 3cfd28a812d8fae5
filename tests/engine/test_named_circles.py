"""Objects of any kind that wait for each other by their own words: the circle is told, and only where it is
one.
"""

from __future__ import annotations

from typing import Any

from tests.stages.test_referred import asked, deployment, made


def layer(name: str, on: str, message: str = "") -> dict[str, Any]:
    row = {
        "type": "Ready",
        "status": "False",
        "reason": "DependencyNotReady",
        "message": message or f"dependency 'shop/{on}' is not ready",
        "lastTransitionTime": "2026-11-21T00:00:00Z",
    }
    return made(
        "kustomize.toolkit.fluxcd.io/v1",
        "Kustomization",
        name,
        spec={"dependsOn": [{"name": on}]},
        status={"conditions": [row]},
    )


def circles(*objects: dict[str, Any]) -> list[str]:
    return [c.finding.says.en for c in asked(*objects).causes if "this is a circle" in c.finding.says.en]


def test_three_that_wait_for_each_other() -> None:
    (says,) = circles(layer("a", "b"), layer("b", "c"), layer("c", "a"))
    kind = "Kustomization.kustomize.toolkit.fluxcd.io shop"
    assert all(f"{kind}/{x} waits for {kind}/{y}" in says for x, y in ("ab", "bc", "ca"))


def test_one_that_is_not_well_for_itself_is_the_root() -> None:
    assert not circles(layer("a", "b"), layer("b", "c"), layer("c", "d"))


def test_a_line_of_three_is_no_circle() -> None:
    last = layer("c", "d", "the path ./c does not exist")
    assert not circles(layer("a", "b"), layer("b", "c"), last, deployment(2))
