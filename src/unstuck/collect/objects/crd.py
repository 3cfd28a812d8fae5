"""CustomResourceDefinitions: the conversion of their objects."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject, status_facts
from unstuck.facts.aspects.crds import Conversion
from unstuck.facts.core import Fact, Ref


def definition_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield the conversion and the conditions."""
    if seen.observed:
        strategy = doc.text(seen.obj, "spec", "conversion", "strategy") or "None"
        service = doc.section(seen.obj, "spec", "conversion", "webhook", "clientConfig", "service")
        name, within = doc.text(service, "name"), doc.text(service, "namespace")
        stored = doc.strings(seen.obj, "status", "storedVersions")
        yield Conversion(
            about=seen.ref,
            src=seen.src(
                f"conversion {strategy}"
                + (f" by Service {within}/{name}" if name else "")
                + f", stored as {', '.join(stored)}"
            ),
            webhook=strategy == "Webhook",
            service=Ref("Service", within or None, name) if name and strategy == "Webhook" else None,
            stored=stored,
        )
    yield from status_facts(seen)
