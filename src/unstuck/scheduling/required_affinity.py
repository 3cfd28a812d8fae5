"""A Pod's requirements for its Node's labels and name: for NodeAffinity, and for filters that count only
matching Nodes.

Source (1.34): component-helpers/scheduling/corev1/nodeaffinity (`GetRequiredNodeAffinity`).
"""

from __future__ import annotations

from collections.abc import Mapping

from unstuck.facts.aspects.placing import PodShape
from unstuck.facts.aspects.placing_terms import Pairs
from unstuck.facts.record import Record, record
from unstuck.scheduling.selectors import NodeSelector, has_all, node_selector


@record()
class RequiredAffinity(Record):
    """labels: `nodeSelector`. terms: required node affinity, None if it is not given."""

    labels: Pairs = ()
    terms: NodeSelector | None = None

    @staticmethod
    def of(shape: PodShape) -> RequiredAffinity:
        """Compile the requirements of Pods of this shape."""
        return RequiredAffinity(
            shape.node_selector, None if shape.node_affinity is None else node_selector(shape.node_affinity)
        )

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Tell whether a Node meets the requirements; a faulty term matches no Node."""
        return has_all(self.labels, labels) and (self.terms is None or self.terms.matches(labels, name))
