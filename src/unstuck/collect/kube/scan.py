"""Everything in a Namespace or in the cluster that is not plainly healthy, read page by page and let go of at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from unstuck.collect.kube.ask_objects import kind_named
from unstuck.collect.kube.health import healthy
from unstuck.collect.kube.missing import no_namespace
from unstuck.collect.kube.parallel import each
from unstuck.collect.kube.session import Listing, Session, cannot_ask, refused
from unstuck.collect.objects import doc, facts_of
from unstuck.collect.objects.kinds import Kind, ref_of
from unstuck.collect.objects.node import NODE_LEASES
from unstuck.errors import AccessError
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.objects import Names
from unstuck.facts.core import Fact, Ref, Refused, Want

_NAMESPACED = ("Pod", "PersistentVolumeClaim", "Deployment", "StatefulSet", "DaemonSet", "Job")
# node-monitor-grace-period is 40 s (50 s from 1.32): a lease older than its duration by then is what makes a Node NotReady.
_STALE = timedelta(seconds=40)
Found = tuple[list[Ref], list[Fact]]


def unhealthy(session: Session, namespace: str | None) -> Found:
    """What is not plainly healthy, and all facts of it; a list that may not be read is a `Refused` about `Ref("PodList", …)`.

    namespace: None for the whole cluster, then Nodes and Namespaces are among it; else that Namespace itself is.
    Errors: AccessError or Unreachable where nothing at all could be read.
    """
    work: list[Callable[[], Found]] = [partial(_of_kind, session, kind_named(k), namespace) for k in _NAMESPACED]
    if namespace is None:
        work += [partial(_nodes, session), partial(_of_kind, session, kind_named("Namespace"), None)]
    else:
        work += [partial(_itself, session, namespace)]
    results = each(lambda ask: ask(), work)
    facts = [f for _, fs in results for f in fs]
    _raise_if_nothing(session, facts, len(work))
    return sorted({r for refs, _ in results for r in refs}, key=lambda r: r.key), facts


def _raise_if_nothing(session: Session, facts: list[Fact], asked: int) -> None:
    no = [f for f in facts if isinstance(f, Refused)]
    if len(no) < asked:
        return
    last = session.last
    error = cannot_ask(session, last.reply) if last else None
    raise error or AccessError(f"nothing may be listed: {no[0].detail}", "name one object: unstuck why KIND/NAME")


def _of_kind(session: Session, kind: Kind, namespace: str | None) -> Found:
    refs: list[Ref] = []
    facts: list[Fact] = []
    for page in session.pages(kind, namespace, remember=False):
        if not page.read.reply.ok:
            facts.append(_refused(kind, namespace, page))
            break
        for item in page.items:
            if not healthy(item) and (ref := ref_of(item)):
                refs.append(ref)
                facts += facts_of(item, kind.path(ref.within, ref.name), page.read.at)
    return refs, facts


def _refused(kind: Kind, namespace: str | None, page: Listing) -> Refused:
    return refused(Want(Names, Ref(f"{kind.name}List", namespace)), page.read)


def _itself(session: Session, namespace: str) -> Found:
    """The Namespace, where it is being deleted; a user who may not read it is told so."""
    kind = kind_named("Namespace")
    read = session.get(kind.path(None, namespace))
    if read.reply.object_missing:
        raise no_namespace(session, namespace)
    if not read.reply.ok:
        return [], [refused(Want(Names, Ref("Namespace", None, namespace)), read)]
    ref = ref_of(read.reply.doc)
    return ([ref], facts_of(read.reply.doc, read.where, read.at)) if ref and not healthy(read.reply.doc) else ([], [])


def _nodes(session: Session) -> Found:
    """Nodes that are not Ready, or whose lease says that they will not be for long."""
    kind, leases = kind_named("Node"), session.listing(kind_named("Lease"), NODE_LEASES)
    renewed = {doc.text(i, "metadata", "name"): i for i in leases.items}
    refs: list[Ref] = []
    facts: list[Fact] = []
    for page in session.pages(kind, None, remember=False):
        if not page.read.reply.ok:
            facts.append(_refused(kind, None, page))
            break
        for item in page.items:
            ref, lease = ref_of(item), renewed.get(doc.text(item, "metadata", "name"))
            at = doc.time(lease, "spec", "renewTime")
            if ref and (not healthy(item) or (at and page.read.at - at > _STALE)):
                refs.append(ref)
                facts += facts_of(item, kind.path(None, ref.name), page.read.at)
                facts += [f for f in facts_of(lease or {}, leases.read.where, leases.read.at) if isinstance(f, Lease)]
    return refs, facts
