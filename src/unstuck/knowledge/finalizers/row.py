"""One well-known finalizer: the program that clears it, what it protects, and what is lost if it is
removed by hand.
"""

from __future__ import annotations

from unstuck.facts.record import Record, record

KUBERNETES = "kube-controller-manager"


@record()
class KnownFinalizer(Record):
    """pattern: the name, or its beginning followed by `*`. owner: the program that clears it.

    protects, loses: its purpose, and the leftovers of removing it by hand, in English and Chinese. built_in:
    Kubernetes' own controllers clear it, so that it waits for a condition and never for a program to be
    installed. elsewhere: its owner may run outside this cluster, and nothing in the cluster shows whether it
    is alive.
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
