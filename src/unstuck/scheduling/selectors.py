"""Label selectors and node selectors, compiled and matched as the API machinery does, faults included.

Sources (1.34): apimachinery pkg/labels/selector.go (`NewRequirement`, `Requirement.Matches`),
pkg/apis/meta/v1/helpers.go (`LabelSelectorAsSelector`); component-helpers scheduling/corev1/nodeaffinity
(`LazyErrorNodeSelector`); pkg/apis/core/v1/helper (`MatchTopologySelectorTerms`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from unstuck.facts.aspects import placing_terms
from unstuck.facts.aspects.placing_terms import Pairs, Requirement
from unstuck.facts.derive.requirements import holds, integer
from unstuck.facts.record import Record, record
from unstuck.scheduling.labels import field_faults, join_faults, node_faults, quote, requirement_faults

_OF_LABELS = ("In", "NotIn", "Exists", "DoesNotExist")


class SelectorError(ValueError):
    """A selector that the scheduler cannot compile, with its error."""


@record()
class PreparedSelector(Record):
    """A compiled label selector. nothing: whether the selector is missing, which selects no object, even with
    added requirements.
    """

    requirements: tuple[Requirement, ...] = ()
    nothing: bool = False

    @property
    def empty(self) -> bool:
        """Tell whether the selector exists without requirements, and so selects everything."""
        return not self.nothing and not self.requirements

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether an object with these labels is selected."""
        if self.nothing:
            return False
        for r in self.requirements:  # noqa: SIM110 - asked of every shape of Pods
            if not holds(r, labels):
                return False
        return True

    def with_labels(self, labels: Iterable[tuple[str, str]]) -> PreparedSelector:
        """Return the selector with these labels required in addition."""
        more = tuple(Requirement(key, "In", (value,)) for key, value in labels)
        return PreparedSelector((*more, *self.requirements), self.nothing)


def label_selector(written: placing_terms.Selector | None) -> PreparedSelector:
    """Compile a selector; None selects nothing. Errors: SelectorError."""
    if written is None:
        return PreparedSelector(nothing=True)
    for r in written.requirements:
        if r.operator not in _OF_LABELS:
            raise SelectorError(f"{quote(r.operator)} is not a valid label selector operator")
        if found := requirement_faults(r):
            raise SelectorError(join_faults(found))
    return PreparedSelector(written.requirements)


def has_all(wanted: Pairs, labels: Mapping[str, str]) -> bool:
    """Tell whether the labels include all wanted ones (`nodeSelector`, which is compared without
    validation).
    """
    return not wanted or all(labels.get(key) == value for key, value in wanted)


@record()
class PreparedNodeTerm(Record):
    """One compiled term of a node selector. faults: its errors; a faulty term matches no Node."""

    expressions: tuple[Requirement, ...]
    fields: tuple[Requirement, ...] = ()
    faults: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Match labels, and fields by the Node's name. name: "" if only labels are compared, as for
        PersistentVolumes.
        """
        if self.faults or not all(holds(r, labels) for r in self.expressions):
            return False
        return not name or all(_field_holds(r, name) for r in self.fields)


@record()
class NodeSelector(Record):
    """Alternative terms. Terms without requirements are left out: they match no Node."""

    terms: tuple[PreparedNodeTerm, ...] = ()

    def matches(self, labels: Mapping[str, str], name: str = "") -> bool:
        """Tell whether a Node with these labels and this name is selected."""
        return any(term.matches(labels, name) for term in self.terms)

    @property
    def fault(self) -> str:
        """The error of the faulty terms, which counts only for Nodes that match no other term."""
        return join_faults(fault for term in self.terms for fault in term.faults)


def node_selector(terms: Iterable[placing_terms.NodeTerm]) -> NodeSelector:
    """Compile `nodeSelectorTerms`; a faulty term keeps its error without affecting other terms."""
    return NodeSelector(
        tuple(_term(t, f"nodeSelectorTerms[{i}]") for i, t in enumerate(terms) if t.expressions or t.fields)
    )


def _term(written: placing_terms.NodeTerm, path: str) -> PreparedNodeTerm:
    of_labels = (
        fault
        for i, r in enumerate(written.expressions)
        for fault in node_faults(r, f"{path}.matchExpressions[{i}]")
    )
    of_fields = (
        fault for i, r in enumerate(written.fields) for fault in field_faults(r, f"{path}.matchFields[{i}]")
    )
    return PreparedNodeTerm(written.expressions, written.fields, (*of_labels, *of_fields))


def _field_holds(r: Requirement, name: str) -> bool:
    """Tell whether the requirement on a Node's field holds: the only field is the name, and any other is
    empty.
    """
    have = name if r.key == "metadata.name" else ""
    return (have == r.values[0]) is (r.operator == "In")


def topology_matches(
    terms: Sequence[Sequence[tuple[str, tuple[str, ...]]]], labels: Mapping[str, str]
) -> bool:
    """Tell whether the labels match a StorageClass's `allowedTopologies`: an empty list matches every Node; a
    term matches if each of its labels has one of the listed values.
    """
    return not terms or any(
        term and all(_topology_holds(key, values, labels) for key, values in term) for term in terms
    )


def _topology_holds(key: str, values: tuple[str, ...], labels: Mapping[str, str]) -> bool:
    r = Requirement(key, "In", values)
    return holds(r, labels) and not requirement_faults(r)


def contradiction(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Return contradictory requirements on one label; () if there are none."""
    by_key: dict[str, list[Requirement]] = {}
    for one in requirements:
        by_key.setdefault(one.key, []).append(one)
    return next((tuple(rows) for _, rows in sorted(by_key.items()) if not _can_be_met(rows)), ())


def _can_be_met(rows: Sequence[Requirement]) -> bool:
    if all(holds(r, {}) for r in rows):
        return True
    listed = [set(r.values) for r in rows if r.operator == "In"]
    if listed:
        return any(all(holds(r, {r.key: value}) for r in rows) for value in set.intersection(*listed))
    if any(r.operator == "DoesNotExist" for r in rows):
        return False
    above = [bound for r in rows if r.operator == "Gt" and (bound := integer(r.values[0])) is not None]
    below = [bound for r in rows if r.operator == "Lt" and (bound := integer(r.values[0])) is not None]
    return not above or not below or max(above) + 1 < min(below)
