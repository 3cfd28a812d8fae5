"""Reads lists of full objects page by page, keeping none: for short lists, and if the server offers or
allows no Tables.
"""

from __future__ import annotations

from unstuck.collect.kube.questions.health import is_healthy
from unstuck.collect.kube.questions.missing import no_namespace
from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import ApiRead, Listing, Session, make_refused
from unstuck.collect.objects import facts_of
from unstuck.collect.objects.kinds import Kind, ref_of
from unstuck.facts.aspects.objects import Names
from unstuck.facts.core import Fact, Ref, Refused, Want

Found = tuple[list[Ref], list[Fact]]


def read_kind(session: Session, kind: Kind, namespace: str | None) -> Found:
    """Return the unhealthy objects of a kind; a list that may not be read is a `Refused` about
    `Ref("PodList", …)`.
    """
    refs: list[Ref] = []
    facts: list[Fact] = []
    for page in session.pages(kind, namespace, remember=False):
        if not page.read.reply.ok:
            facts.append(no_list(kind, namespace, page.read))
            break
        more = read_page(page, kind)
        refs += more[0]
        facts += more[1]
    return refs, facts


def read_page(page: Listing, kind: Kind) -> Found:
    """Return the unhealthy objects of one page."""
    refs: list[Ref] = []
    facts: list[Fact] = []
    for item in page.items:
        if not is_healthy(item, page.read.at) and (ref := ref_of(item)):
            refs.append(ref)
            facts += facts_of(item, kind.path(ref.within, ref.name), page.read.at)
    return refs, facts


def namespaces(session: Session) -> tuple[list[str] | None, Found]:
    """Return the names of all, None if they may not be listed; and the unhealthy ones among them."""
    kind = kind_named("Namespace")
    names: list[str] = []
    refs: list[Ref] = []
    facts: list[Fact] = []
    for page in session.pages(kind, None, remember=False):
        if not page.read.reply.ok:
            return (names or None), (refs, [*facts, no_list(kind, None, page.read)])
        names += [r.name for i in page.items if (r := ref_of(i)) and r.name]
        more = read_page(page, kind)
        refs += more[0]
        facts += more[1]
    return names, (refs, facts)


def read_namespace(session: Session, namespace: str) -> Found:
    """Return the Namespace, if it is being deleted; a Refused if the user may not read it. Errors:
    NotFound.
    """
    kind = kind_named("Namespace")
    read = session.get(kind.path(None, namespace))
    if read.reply.object_missing:
        raise no_namespace(session, namespace)
    if not read.reply.ok:
        return [], [make_refused(Want(Names, Ref("Namespace", None, namespace)), read)]
    ref = ref_of(read.reply.doc)
    return (
        ([ref], facts_of(read.reply.doc, read.where, read.at))
        if ref and not is_healthy(read.reply.doc)
        else ([], [])
    )


def no_list(kind: Kind, namespace: str | None, read: ApiRead) -> Refused:
    """Return the refusal of a list that may not be read, or could not."""
    return make_refused(Want(Names, Ref(f"{kind.name}List", namespace)), read)
