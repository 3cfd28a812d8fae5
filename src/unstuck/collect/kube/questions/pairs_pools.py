"""Counterparts of Services of type LoadBalancer: the pools of their addresses, and what announces these.

Sources: metallb v1beta1 and its documentation (address-pool annotation); cilium.io v2 (LB-IPAM).
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address, ip_network

from unstuck.collect.kube.questions.pairs_effects import (
    compare_labels,
    compare_name,
    list_selectors,
    list_takers,
    read_takers,
    takes,
)
from unstuck.collect.kube.questions.pairs_rows import POOL, POOLS
from unstuck.collect.kube.questions.pairs_tools import labels_of, list_all, list_names, name_of
from unstuck.collect.kube.questions.resources import kind_of_ref
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.facts.aspects.counterparts import Counterpart
from unstuck.facts.core import Ref

# Annotations of a Service with the name of MetalLB's pool, in any Namespace; the second one is older.
_POOL_NAMES = ("metallb.io/address-pool", "metallb.universe.tf/address-pool")
_OF_SERVICE = "io.kubernetes.service"


def read_pools(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield what gives a Service of type LoadBalancer its address, and what announces the one that it has."""
    if doc.text(obj, "spec", "type") != "LoadBalancer":
        return
    yield from _read_pool_name(session, about, obj)
    addresses = [
        a for row in doc.rows(obj, "status", "loadBalancer", "ingress") if (a := doc.text(row, "ip"))
    ]
    for pool in (list_all(session, POOL, None) or ()) if addresses else ():
        if any(_has_address(r, a) for r in doc.strings(pool, "spec", "addresses") for a in addresses):
            yield from read_takers(session, name_of(pool, POOL), pool)
    rows = [t for t in POOLS if kind_of_ref(session, t.kind)]
    pairs = list_takers(session, rows, None) if not addresses else None
    # Cilium's pools may select a Service by its name and Namespace.
    by_name = {f"{_OF_SERVICE}.name": about.name or "", f"{_OF_SERVICE}.namespace": about.within or ""}
    labels = labels_of(obj) | by_name
    if pairs and not any(takes(t, item, labels, about) for t, item in pairs):
        yield compare_labels(
            about, labels, [(t, item, list_selectors(item, t.selectors)) for t, item in pairs]
        )


def _read_pool_name(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the pool that a Service names in an annotation."""
    told = dict(doc.pairs(obj, "metadata", "annotations"))
    asked = [(key, told[key]) for key in _POOL_NAMES if key in told]
    there = list_names(session, POOL, None) if asked else None
    for key, name in asked if there is not None else ():
        yield compare_name("named", about, f"metadata.annotations[{key}]", name, POOL, there or ())


def _has_address(given: str, address: str) -> bool:
    """Tell whether a range such as `192.0.2.1-192.0.2.9` or `192.0.2.0/24` has an address."""
    first, dash, last = given.replace(" ", "").partition("-")
    try:
        one = ip_address(address)
        if not dash:
            return one in ip_network(first, strict=False)
        low, high = ip_address(first), ip_address(last)
    except ValueError:
        return False
    return one.version == low.version == high.version and int(low) <= int(one) <= int(high)
