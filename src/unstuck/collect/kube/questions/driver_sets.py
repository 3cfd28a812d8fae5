"""Finds the DaemonSets that install a CSI driver on Nodes, by their templates."""

from __future__ import annotations

import re

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import ref_of
from unstuck.facts.aspects.driver_sets import DriverSet, DriverSets
from unstuck.facts.aspects.placing_terms import Toleration
from unstuck.facts.core import Fact, Want

_DEEPEST, _SHOWN = 8, 10
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def list_driver_sets(session: Session, want: Want) -> list[Fact]:
    """Return the DaemonSets of the cluster whose template names the driver."""
    name = want.about.name
    if not name:
        return [make_unanswered(want, "not-asked", "the driver's name is not known")]
    found = session.listing(kind_named("DaemonSet"), None)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    named = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    items = tuple(d for item in found.items if (d := _read_set(item, named)))[:_SHOWN]
    quote = ", ".join(f"{d.ref.within}/{d.ref.name}" for d in items) or "no DaemonSet names it"
    return [DriverSets(about=want.about, src=found.read.src(quote), items=items, whole=found.whole)]


def _read_set(item: doc.Doc, named: re.Pattern[str]) -> DriverSet | None:
    """Return the DaemonSet, None if its template does not name the driver."""
    ref, spec = ref_of(item), doc.section(item, "spec", "template", "spec")
    if ref is None or not any(named.search(text) for text in doc.find_texts(spec, _DEEPEST)):
        return None
    tolerations = tuple(
        Toleration(*(doc.text(row, key) for key in ("key", "operator", "value", "effect")))
        for row in doc.rows(spec, "tolerations")
    )
    affinity = bool(doc.section(spec, "affinity", "nodeAffinity", _REQUIRED))
    return DriverSet(ref, tolerations, doc.pairs(spec, "nodeSelector"), affinity)
