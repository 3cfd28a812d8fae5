"""The Nodes and Pods that have an IP address."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Listing, Session, make_refused
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import ref_of
from unstuck.collect.objects.segments import field_requirement
from unstuck.facts.aspects.services import AddressHolders
from unstuck.facts.core import Fact, Ref, Want

_ENDED = ("Succeeded", "Failed")


def list_holders(session: Session, want: Want) -> list[Fact]:
    """Return the holders of an address: those among the Nodes, else those among the Pods."""
    address = want.about.name or ""
    nodes = session.listing(kind_named("Node"), None, most=40)
    if not nodes.read.reply.ok:
        return [make_refused(want, nodes.read)]
    holders = tuple(ref for item in nodes.items if _has(item, address) and (ref := ref_of(item)))
    if holders:
        return [_make_fact(want, nodes, holders)]
    pods = session.listing(
        kind_named("Pod"), None, {"fieldSelector": field_requirement("status.podIP", address)}
    )
    if not pods.read.reply.ok:
        return [make_refused(want, pods.read)]
    found = tuple(
        (ref, Ref("Node", None, node))
        for item in pods.items
        if (ref := ref_of(item)) and (node := _find_node(item, address))
    )
    return [_make_fact(want, pods, pods=found, whole=nodes.whole and pods.whole)]


def _make_fact(
    want: Want,
    found: Listing,
    nodes: tuple[Ref, ...] = (),
    pods: tuple[tuple[Ref, Ref], ...] = (),
    *,
    whole: bool = True,
) -> AddressHolders:
    names = [f"Node {r.name}" for r in nodes] + [f"Pod {r.within}/{r.name}" for r, _ in pods]
    src = found.read.src(", ".join(names) or "no Node and no Pod has it")
    return AddressHolders(about=want.about, src=src, nodes=nodes, pods=pods, whole=whole)


def _has(node: doc.Doc, address: str) -> bool:
    return any(doc.text(row, "address") == address for row in doc.rows(node, "status", "addresses"))


def _find_node(pod: doc.Doc, address: str) -> str:
    """Return the Node of a Pod that has the address itself; "" for any other."""
    status, spec = doc.section(pod, "status"), doc.section(pod, "spec")
    own = doc.text(status, "podIP") == address and not spec.get("hostNetwork")
    return doc.text(spec, "nodeName") if own and doc.text(status, "phase") not in _ENDED else ""
