"""The Pods that a Service could send to, and the Services that were meant for a Pod."""

from __future__ import annotations

from dataclasses import replace

from unstuck.collect.kube.questions.objects import item_facts, kind_named, read_object
from unstuck.collect.kube.questions.resources import kind_of_ref
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Listing, Session, make_refused, make_unanswered
from unstuck.collect.objects import doc, facts_of
from unstuck.collect.objects.kinds import ref_of
from unstuck.collect.objects.segments import field_requirement
from unstuck.collect.objects.services import compare_service, compare_services, is_ready, match_pods
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.services import ServicesAt, ServiceSpec, ServiceWorkloads, TemplateMatch, Unserving
from unstuck.facts.core import Fact, Ref, Want

_MOST = 8
_MAKERS = ("Deployment", "StatefulSet")
# The most Services without a backend that are reported for a Namespace.
_TOLD = 20


def service_pods(session: Session, want: Want) -> list[Fact]:
    """Return all Pods of the Service's Namespace, compared with its selector."""
    about = want.about
    if not about.name or not about.within:
        return [make_unanswered(want, "not-asked", "its name or its Namespace is not known")]
    read = session.object(kind_named("Service"), about)
    told = read_object(session, read, about, want)
    spec = next((f for f in told if isinstance(f, ServiceSpec)), None)
    if spec is None:
        return told
    found = session.listing(kind_named("Pod"), about.within, most=_MOST)
    if not found.read.reply.ok:
        return [*told, make_refused(want, found.read)]
    return [*told, _find_held(about, spec, found)]


def workloads(session: Session, want: Want) -> list[Fact]:
    """Return the workloads whose Pods the Service would select, with their facts."""
    about = want.about
    if not about.name or not about.within:
        return [make_unanswered(want, "not-asked", "its name or its Namespace is not known")]
    told = read_object(session, session.object(kind_named("Service"), about), about, want)
    spec = next((f for f in told if isinstance(f, ServiceSpec)), None)
    if spec is None or not spec.selector:
        return [
            *told,
            *(() if spec is None else (make_unanswered(want, "not-offered", "it has no selector"),)),
        ]
    kinds = [kind_named(name) for name in _MAKERS]
    found = run_each(lambda kind: session.listing(kind, about.within, most=_MOST), kinds, 2)
    if failed := [one.read for one in found if not one.read.reply.ok]:
        return [make_refused(want, failed[0])]
    selected = set(spec.selector)
    facts = [
        fact
        for kind, one in zip(kinds, found, strict=True)
        for item in one.items
        if selected <= set(doc.pairs(item, "spec", "template", "metadata", "labels"))
        for fact in item_facts(kind, item, one.read)
    ]
    matches = tuple(TemplateMatch(f.about, f.wanted) for f in facts if isinstance(f, Workload))
    src = found[0].read.src(
        ", ".join(f"{m.workload.kind} {m.workload.name} wants {m.wanted}" for m in matches)
        or "no template has its labels"
    )
    return [
        *facts,
        ServiceWorkloads(about=about, src=src, items=matches, whole=all(one.whole for one in found)),
    ]


def list_services_at(session: Session, want: Want) -> list[Fact]:
    """Return the Services that have this address or name, with their facts, or this port of every node.

    Only a cluster IP can be asked for; for any other address all Services are listed.
    """
    if want.about.kind == "NodePort":
        return _list_holders_of_port(session, want)
    if want.about.kind == "ServiceName":
        return _list_namesakes(session, want)
    found = session.listing(
        kind_named("Service"),
        None,
        {"fieldSelector": field_requirement("spec.clusterIP", want.about.name or "")},
    )
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    specs = [(ref, spec) for ref, spec in _list_specs(found) if want.about.name in spec.addresses]
    if not specs:
        found = session.listing(kind_named("Service"), None, most=_MOST)
        specs = [(ref, spec) for ref, spec in _list_specs(found) if want.about.name in spec.outer]
    refs = tuple(ref for ref, _ in specs)
    quote = ", ".join(f"{r.within}/{r.name}" for r in refs) or "no Service has it"
    return [
        *(spec for _, spec in specs),
        ServicesAt(about=want.about, src=found.read.src(quote), services=refs, whole=found.whole),
    ]


def _list_namesakes(session: Session, want: Want) -> list[Fact]:
    """Return the Services of this name in all Namespaces."""
    selector = field_requirement("metadata.name", want.about.name or "")
    found = session.listing(kind_named("Service"), None, {"fieldSelector": selector})
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    specs = [(ref, spec) for ref, spec in _list_specs(found) if ref.name == want.about.name]
    refs = tuple(ref for ref, _ in specs)
    quote = ", ".join(f"{r.within}/{r.name}" for r in refs) or "no Namespace has it"
    return [
        *(spec for _, spec in specs),
        ServicesAt(about=want.about, src=found.read.src(quote), services=refs, whole=found.whole),
    ]


def _list_holders_of_port(session: Session, want: Want) -> list[Fact]:
    found = session.listing(kind_named("Service"), None, most=_MOST)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    refs = tuple(
        ref for item in found.items if (ref := ref_of(item)) and want.about.name in _list_node_ports(item)
    )
    quote = ", ".join(f"{r.within}/{r.name}" for r in refs) or "no Service has it"
    return [
        *(spec for ref, spec in _list_specs(found) if ref in refs),
        ServicesAt(about=want.about, src=found.read.src(quote), services=refs, whole=found.whole),
    ]


def _list_node_ports(service: doc.Doc) -> list[str]:
    spec = doc.section(service, "spec")
    return [
        doc.scalar(spec, "healthCheckNodePort"),
        *(doc.scalar(p, "nodePort") for p in doc.rows(spec, "ports")),
    ]


def _find_held(service: Ref, spec: ServiceSpec, found: Listing) -> Fact:
    held = match_pods(service, spec, found.items, found.read.src(""), whole=found.whole)
    return replace(held, src=found.read.src(f"{len(held.matched)} of {held.total} Pods match"))


def list_services_beside(session: Session, want: Want) -> list[Fact]:
    """Return the Services of its Namespace, compared with a Pod or a workload's template."""
    about = want.about
    kind = kind_of_ref(session, about.kind)
    if kind is None or not about.name or not about.within:
        return [make_unanswered(want, "not-asked", "its name or its Namespace is not known")]
    read = session.object(kind, about)
    if not read.reply.ok:
        return read_object(session, read, about, want)
    found = session.listing(kind_named("Service"), about.within, most=_MOST)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    return [compare_services(about, read.reply.doc, _list_specs(found), found.read.src(), whole=found.whole)]


def list_unserving(session: Session, want: Want) -> list[Fact]:
    """Return a Namespace's Services without endpoints, although ready Pods were plainly meant; with the
    evidence for each.
    """
    space = want.about.within
    if not space:
        return [make_unanswered(want, "not-asked", "its Namespace is not known")]
    found = session.listing(kind_named("Service"), space, most=_MOST)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    specs = [(ref, spec) for ref, spec in _list_specs(found) if spec.selector and not spec.outside]
    pods = session.listing(kind_named("Pod"), space, most=_MOST) if specs else None
    if pods is not None and not pods.read.reply.ok:
        return [make_refused(want, pods.read)]
    well = [p for p in pods.items if is_ready(p)] if pods else []
    out: list[Fact] = []
    refs: list[Ref] = []
    for ref, spec in specs:
        if (
            len(refs) < _TOLD
            and pods is not None
            and pods.whole
            and any(compare_service(p, ref, spec) for p in well)
        ):
            refs.append(ref)
            out += [spec, _find_held(ref, spec, pods)]
    whole = found.whole and (pods is None or pods.whole)
    quote = f"{len(specs)} Services with a selector"
    return [*out, Unserving(about=want.about, src=found.read.src(quote), services=tuple(refs), whole=whole)]


def _list_specs(found: Listing) -> list[tuple[Ref, ServiceSpec]]:
    told = ((ref_of(i), facts_of(i, found.read.where, found.read.at)) for i in found.items)
    return [(ref, f) for ref, facts in told if ref for f in facts if isinstance(f, ServiceSpec)]
