"""Helm's records of its releases: labels of its Secrets alone, never their contents.

Source: helm pkg/storage/driver/secrets.go (`newSecretsObject`), pkg/release/status.go.
"""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects import doc
from unstuck.facts.aspects.helm import HelmRevision, HelmRevisions
from unstuck.facts.core import Fact, Want

_SHOWN = 200
_QUOTED = 5


def list_revisions(session: Session, want: Want) -> list[Fact]:
    """Return the revisions in the Namespace; the request is for metadata only, filtered by label at the
    server.
    """
    if want.about.kind != "Namespace" or not want.about.name:
        return [make_unanswered(want, "not-asked", "the Namespace is not known")]
    found = session.listing(
        kind_named("Secret"), want.about.name, {"labelSelector": "owner=helm"}, metadata=True
    )
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    read = [r for item in found.items if (r := _read_revision(item))]
    items = tuple(sorted(read, key=lambda r: (r.release, -r.revision)))
    quote = ", ".join(f"{r.release} v{r.revision} {r.status}" for r in items[:_QUOTED]) or "no record of Helm"
    return [
        HelmRevisions(
            about=want.about,
            src=found.read.src(quote),
            items=items[:_SHOWN],
            whole=found.whole and len(items) <= _SHOWN,
        )
    ]


def _read_revision(item: doc.Doc) -> HelmRevision | None:
    """Return the revision that a Secret is the record of; None for one whose labels are not Helm's."""
    labels = doc.section(item, "metadata", "labels")
    release, version = doc.text(labels, "name"), doc.text(labels, "version")
    if not release or not version.isascii() or not version.isdigit() or len(version) > 9:
        return None
    created = doc.time(item, "metadata", "creationTimestamp")
    return HelmRevision(
        release, int(version), doc.text(labels, "status"), doc.text(item, "metadata", "name"), created
    )
