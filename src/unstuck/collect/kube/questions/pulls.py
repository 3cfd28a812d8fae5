"""Questions about pulling that no single object answers: a Namespace's pull Secrets, a Node's images."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects import doc
from unstuck.facts.aspects.pulls import NodeImages, PullSecrets
from unstuck.facts.core import Fact, Want

_TYPES = ("kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg")
_SHOWN = 10


def pull_secrets(session: Session, want: Want) -> list[Fact]:
    """Return only the names: the request is for metadata, filtered by type at the server."""
    namespace = want.about.within
    if not namespace:
        return [make_unanswered(want, "not-asked", "the Namespace is not known")]
    names: set[str] = set()
    for type_ in _TYPES:
        found = session.listing(
            kind_named("Secret"), namespace, {"fieldSelector": f"type={type_}"}, metadata=True
        )
        if not found.read.reply.ok:
            return [make_refused(want, found.read)]
        names |= {doc.text(i, "metadata", "name") for i in found.items}
    shown = ", ".join(sorted(names)[:_SHOWN]) or "none"
    return [
        PullSecrets(
            about=want.about, src=found.read.src(shown), names=tuple(sorted(names)), whole=found.whole
        )
    ]


def node_images(session: Session, want: Want) -> list[Fact]:
    """Return the images in the Node's own status; they are not kept for every Node that is read, because
    the list is long.
    """
    if not want.about.name:
        return [make_unanswered(want, "not-asked", "its name is not known")]
    read = session.object(kind_named("Node"), want.about)
    if not read.reply.ok:
        return [make_refused(want, read)]
    rows = doc.rows(read.reply.doc, "status", "images")
    names = tuple(sorted({n for row in rows for n in doc.strings(row, "names") if "@" not in n}))
    return [NodeImages(about=want.about, src=read.src(f"{len(names)} images"), names=names, whole=False)]


def tags(session: Session, want: Want) -> list[Fact]:
    """Return the tags that an image's registry has. The code that asks it is imported only on request."""
    if not session.ask_registry:
        return [make_unanswered(want, "not-asked", "a registry is asked only with --ask-registry")]
    from unstuck.collect.kube.questions import registry  # with urllib's handlers of everything

    return registry.tags(want)
