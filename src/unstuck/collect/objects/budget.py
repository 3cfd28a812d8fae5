"""PodDisruptionBudgets: the counts in their status (staging/src/k8s.io/api/policy/v1/types.go)."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject, status_facts
from unstuck.facts.aspects.disruption import DisruptionBudget
from unstuck.facts.core import Fact

_LONGEST = 40


def budget_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield the facts of any object's status, and the budget's numbers, if its controller has written any."""
    yield from status_facts(seen)
    allowed, healthy, desired, expected = (
        doc.whole_number(seen.obj, "status", key)
        for key in ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
    )
    if allowed is None or healthy is None or desired is None or expected is None:
        return
    shown = f"allows {allowed} disruptions, {healthy} of {expected} Pods are healthy, {desired} are required"
    yield DisruptionBudget(
        about=seen.ref,
        src=seen.src(shown),
        allowed=allowed,
        healthy=healthy,
        desired=desired,
        expected=expected,
        bound=_find_bound(seen),
        whole=seen.observed,
    )


def _find_bound(seen: SeenObject) -> str:
    """Return the one field of its spec that says how many Pods must stay: a number or a share."""
    spec = doc.section(seen.obj, "spec")
    found = ((key, spec.get(key)) for key in ("maxUnavailable", "minAvailable"))
    return next((f"{key}: {value}"[:_LONGEST] for key, value in found if isinstance(value, int | str)), "")
