"""Whether a Node's taints and labels admit a Pod: for the filters of that name, and for those that count only Nodes that do.

Sources (1.34): api/core/v1/toleration.go, component-helpers/scheduling/corev1 (`FindMatchingUntoleratedTaint`, `GetRequiredNodeAffinity`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from unstuck.facts.aspects.cluster import Taint
from unstuck.facts.aspects.placing import Pairs, PodShape, Toleration
from unstuck.facts.record import Record, record
from unstuck.scheduling.selectors import NodeSelector, has_all, node_selector

HARD = ("NoSchedule", "NoExecute")


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Without an effect all effects, without a key and with `Exists` all taints."""
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    return toleration.operator == "Exists" or (toleration.operator in ("", "Equal") and toleration.value == taint.value)


def untolerated(taints: Iterable[Taint], tolerations: Iterable[Toleration], effects: tuple[str, ...] = HARD) -> Taint | None:
    """The first taint with one of these effects that none of these tolerates."""
    rows = tuple(tolerations)
    return next((t for t in taints if t.effect in effects and not any(tolerates(one, t) for one in rows)), None)


@record()
class RequiredAffinity(Record):
    """What a Pod requires of its Node's labels and name: `nodeSelector` and required node affinity (None where not given)."""

    labels: Pairs = ()
    terms: NodeSelector | None = None

    @staticmethod
    def of(shape: PodShape) -> RequiredAffinity:
        """Of Pods of this shape."""
        return RequiredAffinity(shape.node_selector, None if shape.node_affinity is None else node_selector(shape.node_affinity))

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Whether a Node is one that such a Pod may run on; a faulty term matches none."""
        return has_all(self.labels, labels) and (self.terms is None or self.terms.matches(labels, name))
