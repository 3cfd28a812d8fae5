"""A claim that requests more than it has: whether its expansion has begun, and the component that performs
it.
"""

from __future__ import annotations

from datetime import datetime

from unstuck.facts.aspects.cluster import Claim
from unstuck.facts.aspects.objects import Conditions, Events
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

# The Event reasons of a driver's resizer or the kubelet as soon as it begins (kubernetes-csi/external-resizer
# pkg/util/constants.go; pkg/kubelet/events/event.go).
RESIZER_SPEAKS = (
    *("Resizing", "VolumeResizeFailed", "VolumeResizeSuccessful"),
    *("FileSystemResizeRequired", "FileSystemResizeSuccessful", "FileSystemResizeFailed"),
)
_BEGUN = ("Resizing", "FileSystemResizePending")


def wants_more(claim: Claim) -> bool:
    """Tell whether it requests more than it has; no for a claim that has nothing yet."""
    return claim.size is not None and claim.capacity is not None and claim.size > claim.capacity


def is_resizing(claim: Ref, snap: Facts) -> bool:
    """Tell whether a condition reports an expansion of the volume, or a pending one of its file system."""
    return any(c.type in _BEGUN and c.status == "True" for f in snap.of(Conditions, claim) for c in f.items)


def find_growth_start(claim: Ref, snap: Facts) -> datetime | None:
    """Return since when the controller reports that it waits for a resizer; None if unknown."""
    return min(
        (
            e.first
            for f in snap.of(Events, claim)
            for e in f.items
            if e.reason == "ExternalExpanding" and e.first
        ),
        default=None,
    )
