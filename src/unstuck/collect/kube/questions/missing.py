"""The errors for a missing object or Namespace, each with the nearest existing name."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.kube.transport.suggest import suggest_names
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind
from unstuck.errors import NotFound
from unstuck.facts.core import Ref
from unstuck.facts.text import NO_TEXT, Messages, Text

say = Messages(__name__)


def make_not_found(session: Session, kind: Kind, subject: Ref) -> NotFound:
    """Return the error for an object that does not exist, or for its Namespace if that does not exist."""
    if kind.namespaced and subject.within:
        space = kind_named("Namespace")
        if session.object(space, Ref("Namespace", None, subject.within)).reply.object_missing:
            return no_namespace(session, subject.within)
    what = f"{subject.kind} {subject.name!r}"
    where = say(" in Namespace {within!r}", within=subject.within) if subject.within else NO_TEXT
    hint = _suggest_names(session, kind, subject.within, subject.name or "")
    return NotFound(say("no {what}{where}", what=what, where=where), hint)


def no_namespace(session: Session, name: str) -> NotFound:
    """Return the error for a Namespace that does not exist."""
    return NotFound(
        say("no Namespace {name!r}", name=name), _suggest_names(session, kind_named("Namespace"), None, name)
    )


def _suggest_names(session: Session, kind: Kind, namespace: str | None, name: str) -> Text | None:
    found = session.listing(kind, namespace, metadata=True, most=10)
    names = [doc.text(i, "metadata", "name") for i in found.items]
    if not found.read.reply.ok:
        return None
    if not names:
        return say("there is none here")
    many = len(names)
    return suggest_names(name, names) or say("there are {many}, none with a name like it", many=many)
