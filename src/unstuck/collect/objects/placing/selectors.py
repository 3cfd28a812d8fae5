"""Selectors and terms as written in objects; whether they are valid is judged where they are matched."""

from __future__ import annotations

from collections.abc import Mapping

from unstuck.collect.objects import doc
from unstuck.facts.aspects.placing import NodeTerm, Requirement, Selector


def selector(parent: doc.Doc, field: str) -> Selector | None:
    """The label selector in this field, None where there is none. `matchLabels` become requirements `In` with one value."""
    found = parent.get(field)
    if not isinstance(found, Mapping):
        return None
    labels = tuple(Requirement(k, "In", (v,)) for k, v in doc.pairs(found, "matchLabels"))
    return Selector((*labels, *requirements(found, "matchExpressions")))


def requirements(parent: doc.Doc, field: str) -> tuple[Requirement, ...]:
    """The requirements in this list."""
    return tuple(Requirement(doc.text(r, "key"), doc.text(r, "operator"), doc.strings(r, "values")) for r in doc.rows(parent, field))


def node_terms(parent: doc.Doc, field: str) -> tuple[NodeTerm, ...] | None:
    """The ORed terms of the node selector in this field, None where there is none."""
    found = parent.get(field)
    if not isinstance(found, Mapping):
        return None
    return tuple(
        NodeTerm(requirements(t, "matchExpressions"), requirements(t, "matchFields")) for t in doc.rows(found, "nodeSelectorTerms")
    )
