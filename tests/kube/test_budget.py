"""The counts in a PodDisruptionBudget's status, from the object and from a description."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.text.support import pick, read_facts
from unstuck.collect.objects import facts_of
from unstuck.facts.aspects.disruption import DisruptionBudget

COUNTED = {"disruptionsAllowed": 1, "currentHealthy": 3, "desiredHealthy": 2, "expectedPods": 4}
DESCRIBED = """\
Name:           web
Namespace:      shop
Min available:  2
Selector:       app=web
Status:
    Allowed disruptions:  1
    Current:              3
    Desired:              2
    Total:                4
Events:                   <none>
"""


def counts(budget: DisruptionBudget) -> tuple[int, int, int, int]:
    return budget.allowed, budget.healthy, budget.desired, budget.expected


def told(status: Mapping[str, int]) -> list[DisruptionBudget]:
    metadata = {"name": "web", "namespace": "shop", "uid": "u"}
    seen = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata,
        "spec": {},
        "status": status,
    }
    return [f for f in facts_of(seen, "/path") if isinstance(f, DisruptionBudget)]


def test_the_object_tells_it() -> None:
    (found,) = told(COUNTED)
    assert counts(found) == (1, 3, 2, 4)


@pytest.mark.parametrize("lacks", COUNTED)
def test_of_a_status_that_is_not_written_in_full_nothing_is_told(lacks: str) -> None:
    assert not told({key: n for key, n in COUNTED.items() if key != lacks})


@pytest.mark.parametrize("above", ["", "$ kubectl describe pdb web -n shop\n"])
def test_a_description_tells_it(above: str) -> None:
    (found,) = pick(read_facts(above + DESCRIBED), DisruptionBudget)
    assert counts(found) == (1, 3, 2, 4)
    assert (found.about.kind, found.about.within, found.about.name) == ("PodDisruptionBudget", "shop", "web")
