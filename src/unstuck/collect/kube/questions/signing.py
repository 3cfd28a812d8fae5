"""The requests for certificates that a Node's kubelet has made."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import item_facts, kind_named
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import ref_of
from unstuck.facts.aspects.signing import NodeRequests
from unstuck.facts.core import Fact, Want

_MOST = 50


def node_requests(session: Session, want: Want) -> list[Fact]:
    """Return the requests of this Node's kubelet, with their facts; the server has no selector for the
    requester.
    """
    node, kind = want.about, kind_named("CertificateSigningRequest")
    if node.kind != "Node" or not node.name:
        return [make_unanswered(want, "not-asked", "only a Node's kubelet is meant")]
    found = session.listing(kind, None)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    own = [i for i in found.items if doc.text(i, "spec", "username") == f"system:node:{node.name}"]
    newest = sorted(own, key=lambda i: doc.text(i, "metadata", "creationTimestamp"))[-_MOST:]
    refs = tuple(r for i in newest if (r := ref_of(i)))
    src = found.read.src(f"{len(own)} requests of system:node:{node.name}")
    told = NodeRequests(about=node, src=src, refs=refs, whole=found.whole)
    return [told, *(f for i in newest for f in item_facts(kind, i, found.read))]
