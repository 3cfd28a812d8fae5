"""Questions about one object: its facts, its Events, and a Service's backends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from unstuck.collect.kube.questions.resources import kind_of_ref
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import ApiRead, Listing, Session, make_refused, make_unanswered
from unstuck.collect.objects import doc, facts_of
from unstuck.collect.objects.event import events_of
from unstuck.collect.objects.kinds import BUILTIN, Kind, builtin, ref_of
from unstuck.collect.objects.node import NODE_LEASES
from unstuck.collect.objects.segments import field_requirement
from unstuck.collect.objects.unreadable import parse_answer
from unstuck.facts.aspects.cluster import Backends
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.pod import Life
from unstuck.facts.aspects.stored import Unreadable
from unstuck.facts.core import Fact, Ref, Same, Want

TOGETHER = 5
SEVERAL = 3
_KIND = {k.name: k for k in BUILTIN}
LEASE, SLICE, EVENT = _KIND["Lease"], _KIND["EndpointSlice"], _KIND["Event"]


def object_facts(session: Session, want: Want) -> list[Fact]:
    """Get the object and return its facts, or that it does not exist, or why it could not be read."""
    about = want.about
    kind = kind_of_ref(session, about.kind)
    if kind is None:
        return [make_unanswered(want, "not-offered", f"the server offers no resource type {about.kind}")]
    if not about.name or (kind.namespaced and not about.within):
        return [make_unanswered(want, "not-asked", "its name or its Namespace is not known")]
    facts = read_object(session, session.object(kind, about), about, want)
    proper = Ref(kind.ref_kind, about.within if kind.namespaced else None, about.name, about.uid)
    # The caller may have used the type's plural, or a Namespace for a cluster-wide object.
    return (
        facts
        if proper == about
        else [*facts, Same(about=about, src=facts[0].src, other=proper, assumed=False)]
    )


def item_facts(kind: Kind, item: doc.Doc, read: ApiRead) -> list[Fact]:
    """Return the facts of one item of a list, as if it had been read alone; none if it has no name."""
    ref = ref_of(item)
    return list(facts_of(item, kind.path(ref.within, ref.name), read.at)) if ref else []


def read_object(session: Session, read: ApiRead, about: Ref, want: Want | None = None) -> list[Fact]:
    """Return the facts of a GET's reply. want: the question, for the `Refused` beside an object that does
    not exist or may not be read.
    """
    if read.reply.ok:
        facts = session.facts(read)
        # A question may need to read another object: a Node's CSINode has its name, and a uid of its own.
        if want and want.about.uid and want.about.kind == about.kind and _is_another(facts, want.about):
            # The name has been given to a new object: the one in question is gone.
            facts.append(_make_absent(read, want.about))
        return facts
    out: list[Fact] = (
        [_make_absent(read, about)] if read.reply.object_missing else make_unreadable_facts(read, about)
    )
    if want is not None and not (out and want.fact is Presence):
        out.append(make_refused(want, read))
    return out


def make_unreadable_facts(read: ApiRead, about: Ref) -> list[Fact]:
    """Return the fact that the object of a GET exists and cannot be read. It is not missing, although a
    kubelet, whose list lacks it, may report that.
    """
    told = read_storage_failure(read, about)
    return [*told, *(Presence(about=about, src=f.src, exists=True) for f in told)]


def read_storage_failure(read: ApiRead, about: Ref) -> list[Unreadable]:
    """Return the server's error for an object that it found and could not read (500; 429 while its cache
    cannot be filled for it).
    """
    reply = read.reply
    return parse_answer(reply.message, about, read.src(reply.message)) if reply.status in (429, 500) else []


def _make_absent(read: ApiRead, about: Ref) -> Presence:
    return Presence(about=about, src=read.src("not found"), exists=False)


def _is_another(facts: Iterable[Fact], about: Ref) -> bool:
    here = next((f.about for f in facts if isinstance(f, Presence)), None)
    return here is not None and here.uid is not None and here.uid != about.uid


def present_together(session: Session, wants: Iterable[Want]) -> dict[Want, Presence]:
    """Return whether objects exist, by one list of names for several of one kind instead of a GET each.

    Kinds whose list is denied or too long to be read at once are left to single questions.
    """
    groups: dict[tuple[str, str], list[Want]] = {}
    for want in wants:
        if want.fact is Presence and want.about.within and want.about.name and builtin(want.about.kind):
            groups.setdefault((want.about.kind, want.about.within), []).append(want)
    out: dict[Want, Presence] = {}
    for (kind, namespace), asked in groups.items():
        if len(asked) < SEVERAL:
            continue
        found = session.listing(_KIND[kind], namespace, metadata=True, most=1)
        if not found.read.reply.ok or not found.whole:
            continue
        there = {doc.text(i, "metadata", "name"): i for i in found.items}
        for want in asked:
            item = there.get(want.about.name or "")
            created = doc.time(item, "metadata", "creationTimestamp")
            src = found.read.src("" if item else "not in the list")
            gone = item is None or (want.about.uid and doc.text(item, "metadata", "uid") != want.about.uid)
            out[want] = Presence(
                about=want.about, src=src, exists=not gone, created=None if gone else created
            )
    return out


def event_facts(session: Session, want: Want) -> list[Fact]:
    """Return all Events about one object; without Events about an earlier object of the same name."""
    about = want.about
    if not about.name:
        return [make_unanswered(want, "not-asked", "its name is not known")]
    found = events_named(session, about)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    uid_counts = about.uid is not None and about.kind != "Node" and not _mirror(session, about)
    items = [
        i for i in found.items if not uid_counts or doc.text(i, "involvedObject", "uid") in ("", about.uid)
    ]
    return list(events_of(items, about, found.read.where, whole=found.whole))


def events_named(session: Session, about: Ref) -> Listing:
    """Return the Events that name this object, whichever uid they carry: the kubelet writes other ones for
    Nodes and static Pods.
    """
    kind, space = about.kind.partition(".")[0], about.within or "default"
    found = session.events.get(space)
    if found is None:
        fields = (
            f"{field_requirement('involvedObject.name', about.name or '')},"
            f"{field_requirement('involvedObject.kind', kind)}"
        )
        return session.listing(EVENT, space, {"fieldSelector": fields})
    named: list[doc.Doc] = []
    whole = found.whole
    for item in found.items:
        name, of = doc.text(item, "involvedObject", "name"), doc.text(item, "involvedObject", "kind")
        if (name, of) == (about.name, kind):
            named.append(item)
        elif not name and of in ("", kind):
            # It may be any object of the list, this one included.
            whole = False
    return replace(found, items=tuple(named), whole=whole)


def read_together(session: Session, subjects: Iterable[Ref]) -> None:
    """Read the Events of many objects of one Namespace as one list instead of one by one."""
    counts: dict[str, int] = {}
    for ref in subjects:
        counts[ref.within or "default"] = counts.get(ref.within or "default", 0) + 1
    for space, count in counts.items():
        if count > TOGETHER and space not in session.events:
            found = session.listing(EVENT, space)
            if found.read.reply.ok and found.whole:
                session.events[space] = found


def _mirror(session: Session, about: Ref) -> bool:
    """Tell whether a Pod is the mirror of a static Pod, by known facts only."""
    kind = builtin(about.kind)
    if about.kind != "Pod" or kind is None or not session.knows(kind.path(about.within, about.name)):
        return False
    read = session.object(kind, about)
    return any(isinstance(f, Life) and f.mirror for f in session.facts(read))


def lease_facts(session: Session, want: Want) -> list[Fact]:
    """Return a Node's heartbeat, or any other Lease by its own name."""
    about = want.about
    if not about.name:
        return [make_unanswered(want, "not-asked", "its name is not known")]
    lease = node_lease(about) if about.kind == "Node" else about
    read = session.object(LEASE, lease)
    return read_object(session, read, lease) or [make_refused(want, read)]


def csi_drivers(session: Session, want: Want) -> list[Fact]:
    """Return the drivers that a Node's CSINode lists; the two have one name."""
    if not want.about.name:
        return [make_unanswered(want, "not-asked", "its name is not known")]
    about = Ref("CSINode", None, want.about.name)
    read = session.object(_KIND["CSINode"], about)
    return read_object(session, read, about, want)


def node_lease(node: Ref) -> Ref:
    """Return the Lease that a Node's kubelet renews."""
    return Ref("Lease", NODE_LEASES, node.name)


def backend_facts(session: Session, want: Want) -> list[Fact]:
    """Return the endpoints of a Service."""
    return backends(session, want.about)


def backends(session: Session, service: Ref) -> list[Fact]:
    """Return whether a Service exists, and the number of ready addresses in its EndpointSlices
    (discovery.k8s.io, 1.21 on).
    """
    presence = Want(Presence, service)
    selector = {"labelSelector": f"kubernetes.io/service-name={service.name}"}

    def slices(_: int) -> list[Fact]:
        found = session.listing(SLICE, service.within, selector)
        if not found.read.reply.ok:
            return [make_refused(Want(Backends, service), found.read)]
        rows = [row for item in found.items for row in doc.rows(item, "endpoints")]
        # `ready` absent means ready (EndpointConditions in staging/src/k8s.io/api/discovery/v1/types.go).
        ready = sum(
            len(doc.strings(r, "addresses"))
            for r in rows
            if doc.maybe_flag(r, "conditions", "ready") is not False
        )
        total = sum(len(doc.strings(r, "addresses")) for r in rows)
        src = found.read.src(f"{ready} of {total} addresses ready")
        return [Backends(about=service, src=src, ready=ready, total=total, whole=found.whole)]

    def asked(which: int) -> list[Fact]:
        return object_facts(session, presence) if which == 0 else slices(which)

    return [f for facts in run_each(asked, [0, 1], 2) for f in facts]


def kind_named(name: str) -> Kind:
    """Return a built-in kind that this package itself asks for by name."""
    return _KIND[name]
