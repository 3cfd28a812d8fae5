"""Selectors and terms as written in objects; their validity is judged when they are matched."""

from __future__ import annotations

from unstuck.collect.objects import doc
from unstuck.collect.objects.placing.strict import StrictPart
from unstuck.facts.aspects.placing_terms import NodeTerm, Requirement, Selector


def selector(parent: StrictPart, field: str) -> Selector | None:
    """Return the label selector in this field, None if there is none. `matchLabels` become requirements
    `In` with one value.
    """
    found = parent.part(field)
    if found is None:
        return None
    labels = tuple(Requirement(k, "In", (v,)) for k, v in found.pairs("matchLabels"))
    return Selector((*labels, *requirements(found, "matchExpressions")))


def read_selector(row: doc.Doc, field: str) -> Selector | None:
    """Return the label selector in this field of a mapping; values of a wrong type are left out."""
    return selector(StrictPart(row, "", []), field)


def requirements(parent: StrictPart, field: str) -> tuple[Requirement, ...]:
    """Return the requirements in this list."""
    return tuple(
        Requirement(r.text("key"), r.text("operator"), r.strings("values")) for r in parent.parts(field)
    )


def node_terms(parent: StrictPart | None, field: str) -> tuple[NodeTerm, ...] | None:
    """Return the ORed terms of the node selector in this field, None if there is none."""
    found = parent.part(field) if parent else None
    if found is None:
        return None
    return tuple(
        NodeTerm(requirements(t, "matchExpressions"), requirements(t, "matchFields"))
        for t in found.parts("nodeSelectorTerms")
    )
