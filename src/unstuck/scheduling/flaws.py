"""Impossible requirements in a Pod's own selectors, in any cluster: contradictions, faults, missing
selectors.

The scheduler reports only faulty label selectors: a faulty node affinity term simply matches nothing, and a
selector that contradicts itself counts nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.aspects.placing import PodShape
from unstuck.facts.aspects.placing_terms import NodeTerm, PodTerm, Requirement, Selector
from unstuck.facts.derive.requirements import write_requirement
from unstuck.facts.record import Record, record
from unstuck.scheduling.labels import field_faults, join_faults, node_faults
from unstuck.scheduling.selectors import SelectorError, contradiction, label_selector

say = Messages(__name__)

_NODE_TERMS = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
_POD_TERMS = "requiredDuringSchedulingIgnoredDuringExecution"


@record()
class Flaw(Record):
    """A flaw in a selector. field: its place. final: whether it alone keeps the Pod off every Node."""

    field: str
    says: Text
    final: bool


def flaws(shape: PodShape) -> tuple[Flaw, ...]:
    """Return the flaws of a Pod, in the order of its fields."""
    return (
        *_check_node_affinity(shape),
        *_check_pod_terms("podAffinity", shape.affinity),
        *_check_pod_terms("podAntiAffinity", shape.anti_affinity),
        *_find_spread_flaws(shape),
    )


def _check_node_affinity(shape: PodShape) -> Iterator[Flaw]:
    """Yield flaws of the node affinity: alternative terms exclude every Node only if all of them are
    flawed.
    """
    found: list[tuple[str, Text]] = []
    terms = shape.node_affinity
    if terms is None:
        return
    of_labels = tuple(Requirement(key, "In", (value,)) for key, value in shape.node_selector)
    for i, term in enumerate(terms):
        says = _check_term(term, of_labels, f"{_NODE_TERMS}[{i}]")
        if says:
            found.append((f"{_NODE_TERMS}[{i}]", says))
    if not terms:
        found.append((_NODE_TERMS, say("has no terms, so it matches no Node")))
    final = len(found) >= len(terms)
    for field, says in found:
        yield Flaw(field, says, final)


def _check_term(term: NodeTerm, of_labels: tuple[Requirement, ...], field: str) -> Text | None:
    if not term.expressions and not term.fields:
        return say("is empty, so it matches no Node")
    of_nodes = (
        f for i, r in enumerate(term.expressions) for f in node_faults(r, f"{field}.matchExpressions[{i}]")
    )
    of_fields = (f for i, r in enumerate(term.fields) for f in field_faults(r, f"{field}.matchFields[{i}]"))
    fault = join_faults((*of_nodes, *of_fields))
    if fault:
        return say("cannot be compiled, so it matches no Node: {fault}", fault=fault)
    return _find_contradiction((*of_labels, *term.expressions)) or _find_contradiction(term.fields)


def _find_contradiction(requirements: Iterable[Requirement]) -> Text | None:
    rows = contradiction(requirements)
    if not rows:
        return None
    shown = ", ".join(map(write_requirement, rows))
    return say("contradicts itself: nothing meets {shown} together", shown=shown)


def _check_pod_terms(kind: str, terms: tuple[PodTerm, ...]) -> Iterator[Flaw]:
    """Yield the flaws of Pod terms: an anti-affinity that selects nothing does no harm, an affinity that
    selects nothing cannot be satisfied.
    """
    for i, term in enumerate(terms):
        field = f"spec.affinity.{kind}.{_POD_TERMS}[{i}]"
        says = _check_selector(term.selector)
        if says:
            yield Flaw(f"{field}.labelSelector", says, kind == "podAffinity" or bool(_fault(term.selector)))
        if term.namespace_selector is not None and (says := _check_selector(term.namespace_selector)):
            yield Flaw(f"{field}.namespaceSelector", says, bool(_fault(term.namespace_selector)))


def _check_selector(selector: Selector | None) -> Text | None:
    if selector is None:
        return say("is not given, so it selects no Pod")
    fault = _fault(selector)
    return (
        say("cannot be compiled: {fault}", fault=fault)
        if fault
        else _find_contradiction(selector.requirements)
    )


def _fault(selector: Selector | None) -> str:
    """Return the selector's error, which stops the scheduler; None if it compiles."""
    try:
        label_selector(selector)
    except SelectorError as fault:
        return str(fault)
    return ""


def _find_spread_flaws(shape: PodShape) -> Iterator[Flaw]:
    """Yield the flaws of spread constraints: a constraint that counts no Pods rejects no Node and spreads
    nothing.
    """
    labels = dict(shape.labels)
    for i, c in enumerate(shape.spread):
        more = (Requirement(key, "In", (labels[key],)) for key in c.match_label_keys if key in labels)
        merged = None if c.selector is None else Selector((*more, *c.selector.requirements))
        if says := _check_selector(merged):
            yield Flaw(
                f"spec.topologySpreadConstraints[{i}].labelSelector",
                says,
                c.when == "DoNotSchedule" and bool(_fault(merged)),
            )
