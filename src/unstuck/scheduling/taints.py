"""Matching of a Pod's tolerations with taints.

Sources (1.34): api/core/v1/toleration.go (`ToleratesTaint`), component-helpers/scheduling/corev1/helpers.go,
plugins/helper/taint.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unstuck.facts.aspects.cluster import Taint
from unstuck.facts.aspects.placing_terms import Toleration

KEEP_OUT = ("NoSchedule", "NoExecute")


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Tell whether a toleration matches a taint."""
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    return toleration.operator == "Exists" or (
        toleration.operator in ("", "Equal") and toleration.value == taint.value
    )


def is_tolerated(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    """Tell whether any toleration matches the taint."""
    return any(tolerates(t, taint) for t in tolerations)


def find_untolerated(tolerations: tuple[Toleration, ...], taints: Sequence[Taint]) -> Taint | None:
    """Return the first untolerated taint with effect NoSchedule or NoExecute."""
    if not taints:
        return None
    return next((t for t in taints if t.effect in KEEP_OUT and not is_tolerated(tolerations, t)), None)
