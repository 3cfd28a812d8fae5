"""Namespaces, and the APIServices whose failure holds every Namespace's deletion."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject, condition_rows, status_facts
from unstuck.collect.objects.unreadable import parse_quotes
from unstuck.facts.aspects.cluster import ApiService
from unstuck.facts.core import Fact, Ref

_HELM = "meta.helm.sh/release-name"


def namespace_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield Conditions and Phase; during a Namespace's deletion its conditions report the obstacles,
    including unreadable objects.
    """
    # pkg/controller/namespace/deletion/status_condition_utils.go: True means that something holds it, False
    # that nothing does.
    yield from status_facts(seen, speaking="True")
    yield from parse_quotes(condition_rows(seen), seen.src())


def api_service_facts(seen: SeenObject) -> Iterator[Fact]:
    """Tell whether an aggregated API answers, and its backend."""
    service = doc.section(seen.obj, "spec", "service")
    name = doc.text(service, "name")
    available = next((c for c in condition_rows(seen) if c.type == "Available"), None)
    shown = (
        f"Available={available.status} {available.reason}: {available.message}"
        if available
        else "no condition Available"
    )
    if seen.observed:
        yield ApiService(
            about=seen.ref,
            src=seen.src(shown),
            service=Ref("Service", doc.text(service, "namespace") or None, name) if name else None,
            available={"True": True, "False": False}.get(available.status) if available else None,
            reason=available.reason if available else "",
            message=available.message if available else "",
            since=available.since if available else None,
            managed_by=managed_by(seen),
        )
    yield from status_facts(seen)


def managed_by(seen: SeenObject) -> str:
    """Return the manager of an object, by the labels and annotations of such tools: `Helm release NAME`,
    `argocd`, …; "" if none.
    """
    annotations, labels = (
        doc.section(seen.obj, "metadata", "annotations"),
        doc.section(seen.obj, "metadata", "labels"),
    )
    if release := doc.text(annotations, _HELM):
        return f"Helm release {release}"
    return doc.text(labels, "app.kubernetes.io/managed-by")
