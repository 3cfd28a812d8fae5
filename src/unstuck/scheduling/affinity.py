"""Terms of Pod affinity and anti-affinity, compiled, and which Pods they match.

Sources (1.34): pkg/scheduler/framework/types.go (`newAffinityTerm`), kube-scheduler/framework/types.go
(`AffinityTerm.Matches`), plugins/interpodaffinity/plugin.go. `matchLabelKeys` and `mismatchLabelKeys` are
merged into the selector by the API server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from unstuck.facts.aspects.placing_terms import PodTerm
from unstuck.scheduling.cluster import ShapeOfPods
from unstuck.scheduling.selectors import PreparedSelector, label_selector

_NO_LABELS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Term:
    """One term of Pod affinity. namespaces: by name, in addition to those that `namespace_selector`
    selects.
    """

    key: str
    selector: PreparedSelector
    namespaces: frozenset[str]
    namespace_selector: PreparedSelector

    @staticmethod
    def of(written: PodTerm, namespace: str) -> Term:
        """Return a term of a Pod in this Namespace, the default of a term that names none. Errors:
        SelectorError.
        """
        own = not written.namespaces and written.namespace_selector is None
        names = frozenset((namespace,) if own else written.namespaces)
        return Term(
            written.topology_key,
            label_selector(written.selector),
            names,
            label_selector(written.namespace_selector),
        )

    def among(self, namespaces: Mapping[str, Mapping[str, str]]) -> Term:
        """Resolve the term's Namespace selector into names."""
        if self.namespace_selector.empty:
            return self
        more = (name for name, labels in namespaces.items() if self.namespace_selector.matches(labels))
        return replace(self, namespaces=self.namespaces.union(more))

    def matches(self, shape: ShapeOfPods, namespace_labels: Mapping[str, str] = _NO_LABELS) -> bool:
        """Tell whether the term matches Pods of this shape in a Namespace with these labels.

        For the pending Pod's own terms the scheduler passes no labels, since `namespace_selector` has already
        been resolved into names. A selector that only requires labels to be absent then matches every
        Namespace.
        """
        there = shape.spec.namespace in self.namespaces or self.namespace_selector.matches(namespace_labels)
        return there and self.selector.matches(shape.labels)


def compile_terms(written: Iterable[PodTerm], namespace: str) -> tuple[Term, ...]:
    """Return all terms of a Pod in this Namespace. Errors: SelectorError of the first faulty one."""
    return tuple(Term.of(t, namespace) for t in written)


def matches_all(terms: tuple[Term, ...], shape: ShapeOfPods) -> bool:
    """Tell whether all terms match Pods of this shape; False if there are no terms."""
    return bool(terms) and all(t.matches(shape) for t in terms)
