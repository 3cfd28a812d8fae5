"""No such Namespace, no such object, each with the nearest name that exists."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.kube.transport.suggest import meant
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind
from unstuck.errors import NotFound
from unstuck.facts.core import Ref
from unstuck.facts.text import Text


def not_found(session: Session, kind: Kind, subject: Ref) -> NotFound:
    """Return the error for an object that does not exist, or for its Namespace where that does not exist."""
    if kind.namespaced and subject.within:
        space = kind_named("Namespace")
        if session.object(space, Ref("Namespace", None, subject.within)).reply.object_missing:
            return no_namespace(session, subject.within)
    what = f"{subject.kind} {subject.name!r}"
    where = Text(f" in Namespace {subject.within!r}", f"Namespace {subject.within!r} 中") if subject.within else Text("", "")
    hint = _near(session, kind, subject.within, subject.name or "")
    return NotFound(Text(f"no {what}{where.en}", f"{where.zh}没有 {what}"), hint)


def no_namespace(session: Session, name: str) -> NotFound:
    """Return the error for a Namespace that does not exist."""
    return NotFound(Text(f"no Namespace {name!r}", f"没有 Namespace {name!r}"), _near(session, kind_named("Namespace"), None, name))


def _near(session: Session, kind: Kind, namespace: str | None, name: str) -> Text | None:
    found = session.listing(kind, namespace, metadata=True, most=10)
    names = [doc.text(i, "metadata", "name") for i in found.items]
    if not found.read.reply.ok:
        return None
    if not names:
        return Text("there is none here", "这里一个也没有")
    many = len(names)
    return meant(name, names) or Text(f"there are {many}, none with a name like it", f"共有 {many} 个，没有名称相近的")
