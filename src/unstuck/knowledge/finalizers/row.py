"""One well-known finalizer: the program that clears it, its purpose, and the loss from removing it by
hand.
"""

from __future__ import annotations

from unstuck.facts.record import Record, record

KUBERNETES = "kube-controller-manager"


@record()
class KnownFinalizer(Record):
    """pattern: the name, or its beginning followed by `*`. owner: the program that clears it. protects,
    loses: its purpose, and the leftovers after removing it by hand, in English and Chinese. built_in: whether
    Kubernetes' own controllers clear it, so that it waits for a condition and never for an installation.
    elsewhere: whether its owner may run outside this cluster, without any sign of life in the cluster.
    """

    pattern: str
    owner: str
    protects: tuple[str, str]
    loses: tuple[str, str]
    source: str
    built_in: bool = False
    elsewhere: bool = False

    def fits(self, name: str) -> bool:
        """Tell whether this row is about that finalizer."""
        return name.startswith(self.pattern[:-1]) if self.pattern.endswith("*") else name == self.pattern
