"""Tells whether a Service has ready backends."""

from __future__ import annotations

from typing import Literal

from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.facts.aspects.cluster import Backends
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

Lack = Literal["gone", "empty"]


def lacks_service(service: Ref, snap: Facts) -> Sign[Lack]:
    """Return yes if the Service does not exist (`gone`) or has no ready address (`empty`); no if it has
    one.
    """
    gone: Sign[Lack] = some(snap, Presence, service, lambda f: [] if f.exists else ["gone"])
    empty: Sign[Lack] = some(snap, Backends, service, lambda f: [] if f.ready else ["empty"])
    # A fact about its addresses also proves that the Service exists.
    return gone if gone.value else empty if empty.value is not None else any_of([gone, empty])
