"""The rules of a Role or ClusterRole (rbac/v1)."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject, status_facts
from unstuck.facts.aspects.grants import RoleRule, Rules
from unstuck.facts.core import Fact


def role_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield its Rules."""
    yield from status_facts(seen)
    rules = tuple(
        RoleRule(
            doc.strings(row, "apiGroups"),
            doc.strings(row, "resources"),
            doc.strings(row, "verbs"),
            doc.strings(row, "resourceNames"),
        )
        for row in doc.rows(seen.obj, "rules")
    )
    quote = "; ".join(f"{','.join(r.verbs)} on {','.join(r.resources)}" for r in rules) or "no rules"
    yield Rules(about=seen.ref, src=seen.src(quote), items=rules, whole=seen.observed)
