"""Nodes and Namespaces, as far as placing a Pod depends on them."""

from __future__ import annotations

from collections.abc import Mapping

from unstuck.collect.objects import doc
from unstuck.collect.objects.placing.amounts import read_list, round_up
from unstuck.collect.objects.placing.strict import section
from unstuck.facts.aspects.cluster import Taint
from unstuck.facts.aspects.placing import NamespaceInput, NodeInput
from unstuck.facts.aspects.placing_terms import UnreadableField


def node_input(obj: doc.Doc) -> NodeInput:
    """Return a Node."""
    unread: list[UnreadableField] = []
    meta, spec = section(obj, "metadata", unread), section(obj, "spec", unread)
    offered = read_list(obj, ("status", "allocatable"), "status.allocatable", unread)
    known = isinstance(doc.at(obj, "status", "allocatable"), Mapping)
    return NodeInput(
        name=meta.text("name"),
        labels=meta.pairs("labels"),
        taints=tuple(Taint(t.text("key"), t.text("value"), t.text("effect")) for t in spec.parts("taints")),
        cordoned=spec.flag("unschedulable"),
        allocatable=round_up(offered) if known else None,
        unreadable=tuple(unread),
    )


def namespace_input(obj: doc.Doc) -> NamespaceInput:
    """Return a Namespace."""
    return NamespaceInput(doc.text(obj, "metadata", "name"), doc.pairs(obj, "metadata", "labels"))
