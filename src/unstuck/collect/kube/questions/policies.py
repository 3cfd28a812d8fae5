"""Reads the NetworkPolicies of a Namespace (networking/v1)."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session, make_refused
from unstuck.collect.objects import doc
from unstuck.collect.objects.placing.selectors import read_selector
from unstuck.facts.aspects.placing_terms import Selector
from unstuck.facts.aspects.policies import Policies, Policy, PolicyPeer, PolicyPort, PolicyRule
from unstuck.facts.core import Fact, Want


def list_policies(session: Session, want: Want) -> list[Fact]:
    """Return the policies of the list's Namespace."""
    found = session.listing(kind_named("NetworkPolicy"), want.about.within)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    items = tuple(_read_policy(item) for item in found.items)
    src = found.read.src(", ".join(p.name for p in items) or "none")
    return [Policies(about=want.about, src=src, items=items, whole=found.whole)]


def list_directions(policy: doc.Doc) -> tuple[str, ...]:
    """Return a policy's directions; without policyTypes: Ingress, and Egress if it has such rules."""
    types = doc.strings(policy, "spec", "policyTypes")
    return types or ("Ingress", *(("Egress",) if doc.rows(policy, "spec", "egress") else ()))


def _read_policy(item: doc.Doc) -> Policy:
    directions = list_directions(item)
    ingress = tuple(_read_rule(row, "from") for row in doc.rows(item, "spec", "ingress"))
    egress = tuple(_read_rule(row, "to") for row in doc.rows(item, "spec", "egress"))
    return Policy(
        doc.text(item, "metadata", "name"),
        read_selector(doc.section(item, "spec"), "podSelector") or Selector(),
        ingress if "Ingress" in directions else None,
        egress if "Egress" in directions else None,
    )


def _read_rule(row: doc.Doc, peers: str) -> PolicyRule:
    return PolicyRule(
        tuple(
            PolicyPeer(
                doc.text(peer, "ipBlock", "cidr"),
                read_selector(peer, "namespaceSelector"),
                read_selector(peer, "podSelector"),
            )
            for peer in doc.rows(row, peers)
        ),
        tuple(
            PolicyPort(
                doc.scalar(port, "port"),
                doc.whole_number(port, "endPort"),
                doc.text(port, "protocol") or "TCP",
            )
            for port in doc.rows(row, "ports")
        ),
    )
