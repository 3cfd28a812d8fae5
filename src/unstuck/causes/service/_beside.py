"""Services meant for healthy Pods: their fault is visible on no Pod and no workload."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unstuck.diagnosis.sign import Sign, all_of, some
from unstuck.facts.aspects.cluster import Backends, Workload
from unstuck.facts.aspects.objects import Conditions, Labels
from unstuck.facts.aspects.services import Beside, ServicesBeside, ServiceSpec
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import stays

# Beside the Service itself.
PODS = ("Pod", "Deployment", "StatefulSet", "DaemonSet")


def is_well(subject: Ref, snap: Facts) -> Sign[Any]:
    """Tell whether the Pod is known to be ready, or the workload to be complete: otherwise that alone makes
    it unreachable.
    """
    staying = stays(subject, snap)
    up: Sign[Any]
    if subject.kind == "Pod":
        up = some(
            snap,
            Conditions,
            subject,
            lambda f: [c for c in f.items if c.type == "Ready" and c.status == "True"],
        )
    else:
        up = some(snap, Workload, subject, lambda f: [f] if f.ready and f.ready >= f.wanted else [])
    return all_of([staying, up]) if up.value else Sign(False, seen=up.seen)


def find_services_beside(subject: Ref, snap: Facts, pick: Callable[[Beside], bool]) -> Sign[Beside]:
    """Find Services beside it that have this fault."""
    return some(snap, ServicesBeside, subject, lambda f: [b for b in f.items if pick(b)])


def may_select_nobody(service: Ref, snap: Facts) -> Sign[Any]:
    """Return no for a Service that is being deleted, and where a text shows a Pod with all its labels."""
    pasted = any(not f.whole for f in snap.of(Backends, service))
    specs = [f for f in snap.of(ServiceSpec, service) if f.selector and not f.outside] if pasted else []
    found = tuple(
        f
        for spec in specs
        for pod in snap.subjects("Pod")
        if pod.within in (None, service.within)
        for f in snap.of(Labels, pod)
        if {*spec.selector} <= {*f.items}
    )
    return Sign(False, seen=found) if found else stays(service, snap)


def find_empty(service: Ref, snap: Facts) -> Sign[Backends]:
    """Find a Service without endpoints: the reason (its selector, its Pods or their absence) stays open."""
    none = tuple(f for f in snap.of(Backends, service) if not f.ready and not f.total)
    return Sign(None, none, none)
