"""What tells of some kinds of Kubernetes how they are, and is neither a condition nor a phase.

Sources: staging/src/k8s.io/api (core/v1, networking/v1, policy/v1, certificates/v1), kubernetes-csi/external-snapshotter client/apis.
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject, condition_rows
from unstuck.facts.aspects.reported import StatusWord
from unstuck.facts.quantity import parse_quantity

# For a field that is not there, as kubectl prints it.
NONE = "<none>"
_SNAPSHOTS = ("VolumeSnapshot.snapshot.storage.k8s.io", "VolumeSnapshotContent.snapshot.storage.k8s.io")


def of_kind(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield the fields by which this kind tells how it is; what knowledge/status_words.py says they mean."""
    kind = seen.ref.kind
    if kind == "Ingress" or (kind == "Service" and doc.text(seen.obj, "spec", "type") == "LoadBalancer"):
        yield _address(seen)
    elif kind == "PodDisruptionBudget":
        yield from _short(seen)
    elif kind == "ResourceQuota":
        yield from _used_up(seen)
    elif kind == "CertificateSigningRequest" and doc.section(seen.obj, "spec"):
        yield from _unsigned(seen)
    elif kind in _SNAPSHOTS and doc.section(seen.obj, "spec"):
        yield StatusWord("status.readyToUse", str(doc.flag(seen.obj, "status", "readyToUse")).lower())


def _address(seen: SeenObject) -> StatusWord:
    rows = doc.rows(seen.obj, "status", "loadBalancer", "ingress")
    first = next((a for r in rows if (a := doc.text(r, "ip") or doc.text(r, "hostname"))), NONE)
    return StatusWord("status.loadBalancer.ingress", first)


def _short(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield that fewer of its Pods are healthy than it asks for; since when its condition tells."""
    healthy, desired, expected = (
        doc.whole_number(seen.obj, "status", name) or 0 for name in ("currentHealthy", "desiredHealthy", "expectedPods")
    )
    if expected and healthy < desired:
        since = next((c.since for c in condition_rows(seen) if c.type == "DisruptionAllowed" and c.status == "False"), None)
        yield StatusWord("status.currentHealthy", f"{healthy} of {desired}", since=since)


def _used_up(seen: SeenObject) -> Iterator[StatusWord]:
    """Yield exhausted resources; a limit of 0 forbids use, and is not counted."""
    used = dict(doc.pairs(seen.obj, "status", "used"))
    for resource, hard in doc.pairs(seen.obj, "status", "hard"):
        most, now = parse_quantity(hard), parse_quantity(used.get(resource, ""))
        if most and now is not None and now >= most:
            yield StatusWord("status.used", f"{resource} {used[resource]} of {hard}")


def _unsigned(seen: SeenObject) -> Iterator[StatusWord]:
    types = {c.type for c in condition_rows(seen) if c.status == "True"}
    if not types & {"Approved", "Denied", "Failed"}:
        yield StatusWord("status.conditions", NONE)
    elif "Approved" in types and not doc.text(seen.obj, "status", "certificate"):
        yield StatusWord("status.certificate", NONE)
