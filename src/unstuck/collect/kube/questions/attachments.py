"""Finds the VolumeAttachments that name a volume."""

from __future__ import annotations

from unstuck.collect.kube.questions.below import full_or_present
from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects import doc
from unstuck.facts.aspects.storage import Attachment, Attachments
from unstuck.facts.core import Fact, Want


def attachments(session: Session, want: Want) -> list[Fact]:
    """Return the VolumeAttachments of a PersistentVolume, with all their facts. No selector finds them, so
    the whole list is read.
    """
    if not want.about.name:
        return [make_unanswered(want, "not-asked", "its name is not known")]
    found = session.listing(kind_named("VolumeAttachment"), None)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    mine = [
        i for i in found.items if doc.text(i, "spec", "source", "persistentVolumeName") == want.about.name
    ]
    told = full_or_present(found, mine)
    items = tuple(f.item for f in told if isinstance(f, Attachment))
    shown = ", ".join(f"{i.ref.name} on {i.node}" for i in items[:5]) or "none names it"
    return [Attachments(about=want.about, src=found.read.src(shown), items=items, whole=found.whole), *told]
