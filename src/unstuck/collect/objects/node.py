"""Nodes and Leases."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject, status_facts
from unstuck.facts.aspects.cluster import Lease, NodeInfo, NodeShape, Taint
from unstuck.facts.codec import format_time
from unstuck.facts.core import Fact, Ref
from unstuck.facts.quantity import parse_amount

NODE_LEASES = "kube-node-lease"
# A Node of which the kubelet keeps back half or more offers unusually little.
_HALF = 2


def node_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield NodeShape, NodeInfo, Conditions of a Node."""
    if seen.observed:
        yield read_node_shape(seen)
    info = doc.section(seen.obj, "status", "nodeInfo")
    provider = doc.text(seen.obj, "spec", "providerID")
    if info or provider:
        yield NodeInfo(
            about=seen.ref,
            src=seen.src(
                " ".join(
                    p
                    for p in (
                        doc.text(info, "kubeletVersion"),
                        doc.text(info, "containerRuntimeVersion"),
                        provider,
                    )
                    if p
                )
            ),
            kubelet=doc.text(info, "kubeletVersion"),
            runtime=doc.text(info, "containerRuntimeVersion"),
            kernel=doc.text(info, "kernelVersion"),
            os_image=doc.text(info, "osImage"),
            provider_id=provider,
            pod_cidrs=_read_pod_cidrs(seen) if seen.observed else None,
        )
    yield from status_facts(seen)


def _read_pod_cidrs(seen: SeenObject) -> tuple[str, ...] | None:
    """Return the Pod networks; before 1.16 there was only the one field. None without a spec."""
    spec = doc.section(seen.obj, "spec")
    one = doc.text(spec, "podCIDR")
    return doc.strings(spec, "podCIDRs") or ((one,) if one else ()) if "spec" in seen.obj else None


def read_node_shape(seen: SeenObject) -> NodeShape:
    """Return the scheduler's view of a Node. Whole only if its status has the allocatable resources."""
    allocatable = doc.pairs(seen.obj, "status", "allocatable")
    taints = tuple(
        Taint(doc.text(t, "key"), doc.text(t, "value"), doc.text(t, "effect"))
        for t in doc.rows(seen.obj, "spec", "taints")
    )
    offered = dict(_parse_amounts(allocatable))
    capacity = doc.pairs(seen.obj, "status", "capacity")
    return NodeShape(
        about=seen.ref,
        src=seen.src("allocatable " + ", ".join(f"{k} {v}" for k, v in allocatable)),
        allocatable=tuple(offered.items()),
        kept_from=tuple((k, n) for k, n in _parse_amounts(capacity) if n >= _HALF * offered.get(k, n)),
        labels=doc.pairs(seen.obj, "metadata", "labels"),
        taints=taints,
        cordoned=doc.flag(seen.obj, "spec", "unschedulable"),
        whole=bool(allocatable),
    )


def _parse_amounts(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, int], ...]:
    return tuple((k, n) for k, v in pairs if (n := parse_amount(k, v)) is not None)


def lease_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield a Lease: a node's heartbeat as a fact about the Node, any other about itself."""
    spec = doc.section(seen.obj, "spec")
    if not spec:
        return
    of_node = seen.ref.within == NODE_LEASES and seen.ref.name
    renewed = doc.time(spec, "renewTime")
    yield Lease(
        about=Ref("Node", None, seen.ref.name) if of_node else seen.ref,
        src=seen.src(f"renewTime {format_time(renewed) if renewed else 'none'}"),
        renewed=renewed,
        duration=doc.whole_number(spec, "leaseDurationSeconds") or 40,
        holder=doc.text(spec, "holderIdentity"),
    )
