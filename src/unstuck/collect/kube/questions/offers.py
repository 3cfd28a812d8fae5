"""The volumes that a claim without a provisioner can be bound to: every existing PersistentVolume."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects.placing.storage import claim_input, volume_input
from unstuck.facts.aspects.storage import ClaimOffers
from unstuck.facts.core import Fact, Want

_MOST = 500


def list_offers(session: Session, want: Want) -> list[Fact]:
    """Return the claim and the volumes. Without a class or a provisioner nothing else ever fits."""
    about = want.about
    if not about.name or not about.within:
        return [make_unanswered(want, "not-asked", "its name or its Namespace is not known")]
    own = session.object(kind_named("PersistentVolumeClaim"), about)
    if not own.reply.ok:
        return [make_refused(want, own)]
    found = session.listing(kind_named("PersistentVolume"), None)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    volumes = tuple(volume_input(v) for v in found.items[:_MOST])
    shown = ", ".join(v.name for v in volumes[:5]) or "no PersistentVolume"
    whole = found.whole and len(found.items) <= _MOST
    return [
        ClaimOffers(
            about=about,
            src=found.read.src(shown),
            claim=claim_input(own.reply.doc),
            volumes=volumes,
            whole=whole,
        )
    ]
