"""Nodes and Namespaces, as far as placing a Pod depends on them."""

from __future__ import annotations

from collections.abc import Mapping

from unstuck.collect.objects import doc
from unstuck.collect.objects.placing.amounts import read_list, rounded
from unstuck.facts.aspects.cluster import Taint
from unstuck.facts.aspects.placing import NamespaceInput, NodeInput, Unread


def node_input(obj: doc.Doc) -> NodeInput:
    """A Node."""
    unread: list[Unread] = []
    amounts = read_list(obj, ("status", "allocatable"), "status.allocatable", unread)
    known = isinstance(doc.at(obj, "status", "allocatable"), Mapping)
    return NodeInput(
        name=doc.text(obj, "metadata", "name"),
        labels=doc.pairs(obj, "metadata", "labels"),
        taints=tuple(Taint(doc.text(t, "key"), doc.text(t, "value"), doc.text(t, "effect")) for t in doc.rows(obj, "spec", "taints")),
        cordoned=doc.flag(obj, "spec", "unschedulable"),
        allocatable=rounded(amounts) if known else None,
        unreadable=tuple(unread),
    )


def namespace_input(obj: doc.Doc) -> NamespaceInput:
    """A Namespace."""
    return NamespaceInput(doc.text(obj, "metadata", "name"), doc.pairs(obj, "metadata", "labels"))
