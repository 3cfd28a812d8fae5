"""The parts of an object to which others attach (gateway-api apis/v1, Listener)."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject, status_facts
from unstuck.collect.objects.placing.selectors import read_selector
from unstuck.facts.aspects.references import Section, Sections
from unstuck.facts.core import Fact


def _read_listener(row: doc.Doc) -> Section:
    spaces = doc.section(row, "allowedRoutes", "namespaces")
    asked = read_selector(spaces, "selector")
    return Section(
        doc.text(row, "name"),
        doc.whole_number(row, "port"),
        # The API server fills it in, where its definition has the default.
        doc.text(spaces, "from") or "Same",
        asked.requirements if asked else (),
    )


def section_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield the listeners of a Gateway, and the facts in its status."""
    items = tuple(_read_listener(row) for row in doc.rows(seen.obj, "spec", "listeners"))
    quote = ", ".join(f"{s.name} ({s.port})" for s in items)
    yield Sections(
        about=seen.ref, src=seen.src(f"listeners {quote or 'none'}"), items=items, whole=seen.observed
    )
    yield from status_facts(seen)
