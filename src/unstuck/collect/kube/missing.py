"""No such Namespace, no such object, each with the nearest name that exists."""

from __future__ import annotations

from unstuck.collect.kube.ask_objects import kind_named
from unstuck.collect.kube.near import meant
from unstuck.collect.kube.session import Session
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind
from unstuck.errors import NotFound
from unstuck.facts.core import Ref


def not_found(session: Session, kind: Kind, subject: Ref) -> NotFound:
    """Where the Namespace itself is not there, that is what is said."""
    if kind.namespaced and subject.within:
        space = kind_named("Namespace")
        if session.object(space, Ref("Namespace", None, subject.within)).reply.object_missing:
            return no_namespace(session, subject.within)
    where = f" in Namespace {subject.within!r}" if subject.within else ""
    return NotFound(f"no {subject.kind} {subject.name!r}{where}", _near(session, kind, subject.within, subject.name or ""))


def no_namespace(session: Session, name: str) -> NotFound:
    """A Namespace that is not there."""
    return NotFound(f"no Namespace {name!r}", _near(session, kind_named("Namespace"), None, name))


def _near(session: Session, kind: Kind, namespace: str | None, name: str) -> str:
    found = session.listing(kind, namespace, metadata=True, most=10)
    names = [doc.text(i, "metadata", "name") for i in found.items]
    if not found.read.reply.ok:
        return ""
    return meant(name, names) or ("there is none here" if not names else f"there are {len(names)}, none with a name like it")
