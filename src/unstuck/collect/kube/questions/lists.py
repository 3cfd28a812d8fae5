"""Questions that a list answers: names, Nodes, APIServices, Namespaces being deleted; and facts about the
server itself.
"""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import backends, kind_named
from unstuck.collect.kube.questions.resources import discovery_fact, kind_of_ref, resources
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects import doc, facts_of
from unstuck.collect.objects.kinds import ref_of
from unstuck.facts.aspects.cluster import (
    ApiService,
    ApiServices,
    NodeInfo,
    NodeNames,
    NodeShape,
    StorageClass,
    Terminating,
)
from unstuck.facts.aspects.limits import Quota
from unstuck.facts.aspects.objects import Conditions, Deletion, Labels, Names, Presence, Server
from unstuck.facts.core import Fact, Ref, Want

# Lists whose objects are read whole: their facts are needed beside the names, and the list is short.
_READ_WHOLE: dict[str, tuple[type[Fact], ...]] = {
    "StorageClassList": (StorageClass, Presence),
    "ResourceQuotaList": (Quota,),
    "IngressClassList": (Labels,),
}


def name_facts(session: Session, want: Want) -> list[Fact]:
    """Return every name of a kind: `Ref("ConfigMapList", NAMESPACE)`, `Ref("StorageClassList")`."""
    about = want.about
    kind = kind_of_ref(session, about.kind.removesuffix("List"))
    if not about.kind.endswith("List") or kind is None:
        return [make_unanswered(want, "not-offered", f"the server offers no list {about.kind}")]
    if kind.namespaced and not about.within:
        return [make_unanswered(want, "not-asked", "the Namespace is not known")]
    beside = _READ_WHOLE.get(about.kind, ())
    found = session.listing(kind, about.within, metadata=not beside)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    names = tuple(sorted(doc.text(i, "metadata", "name") for i in found.items))
    shown = ", ".join(names[:10]) + (f" … ({len(names)})" if len(names) > 10 else "")
    told: list[Fact] = [
        Names(about=about, src=found.read.src(shown or "none"), names=names, whole=found.whole)
    ]
    if beside:
        told += [
            f
            for i in found.items
            for f in facts_of(i, _path(session, i), found.read.at)
            if isinstance(f, beside)
        ]
    return told


def node_names(session: Session, want: Want) -> list[Fact]:
    """Return every Node with its NodeShape, its NodeInfo and its Conditions: facts about a Node must not
    leave open whether it is Ready.
    """
    found = session.listing(kind_named("Node"), None, most=40)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    refs = tuple(r for i in found.items if (r := ref_of(i)))
    out: list[Fact] = [
        NodeNames(
            about=Ref("Cluster"), src=found.read.src(f"{len(refs)} Nodes"), refs=refs, whole=found.whole
        )
    ]
    for item in found.items:
        out += [
            f
            for f in facts_of(item, _path(session, item), found.read.at)
            if isinstance(f, NodeShape | NodeInfo | Conditions)
        ]
    return out


def discovery(session: Session, _want: Want) -> list[Fact]:
    """Return which API groups fail."""
    return [discovery_fact(resources(session))]


def api_services(session: Session, want: Want) -> list[Fact]:
    """Return every APIService with its state; for an unavailable one also whether its Service exists and has
    endpoints.
    """
    found = session.listing(kind_named("APIService"), None)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    told = [
        f
        for i in found.items
        for f in facts_of(i, _path(session, i), found.read.at)
        if isinstance(f, ApiService)
    ]
    down = [f for f in told if f.available is not True]
    refs = tuple(f.about for f in told)
    shown = ", ".join(str(f.about.name) for f in down)
    src = found.read.src(f"not available: {shown}" if down else "every APIService is available")
    services = sorted({f.service for f in down if f.service}, key=lambda r: r.key)
    behind = run_each(lambda s: backends(session, s), services)
    return [
        ApiServices(about=Ref("Cluster"), src=src, refs=refs, whole=found.whole),
        *told,
        *(f for fs in behind for f in fs),
    ]


def list_terminating(session: Session, want: Want) -> list[Fact]:
    """Return every Namespace that is being deleted."""
    found = session.listing(kind_named("Namespace"), None, {"fieldSelector": "status.phase=Terminating"})
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    refs = tuple(r for i in found.items if (r := ref_of(i)) and doc.at(i, "metadata", "deletionTimestamp"))
    src = found.read.src(", ".join(str(r.name) for r in refs) or "none")
    dated = [
        f
        for i in found.items
        for f in facts_of(i, _path(session, i), found.read.at)
        if isinstance(f, Deletion)
    ]
    return [Terminating(about=Ref("Cluster"), src=src, namespaces=refs, whole=found.whole), *dated]


def server(session: Session, want: Want) -> list[Fact]:
    """Return the server's version, which every authenticated user may read."""
    read = session.get("/version")
    version = doc.text(read.reply.doc, "gitVersion")
    if not read.reply.ok or not version:
        return [make_refused(want, read)]
    return [Server(about=Ref("Cluster"), src=read.src(version), version=version)]


def _path(session: Session, item: doc.Doc) -> str:
    """Return the path under which an item of a list would be read alone."""
    ref = ref_of(item)
    kind = kind_of_ref(session, ref.kind) if ref else None
    return kind.path(ref.within, ref.name) if ref and kind else ""
