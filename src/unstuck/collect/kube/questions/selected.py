"""The matches of the selector of a policy, a budget, a class, a volume or a DaemonSet.

Sources: networking/v1, policy/v1, node/v1, storage/v1 and core/v1 of Kubernetes 1.34.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from unstuck.collect.kube.questions.objects import kind_named, read_object
from unstuck.collect.kube.questions.pairs_tools import labels_of, name_of
from unstuck.collect.kube.questions.resources import kind_of_ref
from unstuck.collect.kube.questions.rules_selected import find_dead_selectors
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import ApiRead, Listing, Session, make_refused, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import ref_of
from unstuck.collect.objects.placing.selectors import node_terms, requirements, selector
from unstuck.collect.objects.placing.strict import StrictPart, section
from unstuck.facts.aspects.placing_terms import Requirement
from unstuck.facts.aspects.references import Selects
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.derive.requirements import holds, write_requirement
from unstuck.facts.record import replace
from unstuck.facts.vocabulary.kinds import WEBHOOK_CONFIGURATIONS

# ORed terms of requirements that must all hold; none at all takes everything.
_Terms = tuple[tuple[Requirement, ...], ...]
_SHOWN = 4
_MAKERS = ("Deployment", "StatefulSet", "DaemonSet")


def list_selected(session: Session, want: Want) -> list[Fact]:
    """Return the matches of the object's selector; if it matches no Pod, also the workloads that would create
    matching Pods.
    """
    about = want.about
    kind, reader = kind_of_ref(session, about.kind), _READERS.get(about.kind)
    if kind is None or reader is None or not about.name:
        return [make_unanswered(want, "not-offered", f"{about.kind} selects nothing")]
    own = session.object(kind, about)
    if not own.reply.ok:
        return read_object(session, own, about, want)
    terms = reader(
        section(own.reply.doc, "spec", []) if about.kind in _WITH_SPEC else StrictPart(own.reply.doc, "", [])
    )
    if about.kind in WEBHOOK_CONFIGURATIONS:
        return [_hold_webhooks(session, about, own)]
    if about.kind in _MONITORS:
        return [_hold_monitor(session, want, own.reply.doc, terms)]
    of = "Pod" if about.within and about.kind not in _OF_NODES else "Node"
    found = session.listing(kind_named(of), about.within)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    held = _hold_against(session, about, of, terms, found)
    dead = find_dead_selectors(session, about, own.reply.doc) if about.kind == "NetworkPolicy" else ()
    return [replace(held, dead=dead) if dead else held]


def _hold_webhooks(session: Session, about: Ref, own: ApiRead) -> Fact:
    """Return the webhooks' namespaceSelectors that match no Namespace; their rules, not labels, select the
    objects.
    """
    dead = find_dead_selectors(session, about, own.reply.doc)
    src = own.src("; ".join(d.selector for d in dead) or "each of its selectors matches a Namespace")
    return Selects(about=about, src=src, of="Namespace", selector="", count=0, dead=dead)


def _hold_monitor(session: Session, want: Want, monitor: doc.Doc, terms: _Terms) -> Fact:
    """Return the objects that a Prometheus monitor selects in its Namespaces, and its ports that none of them
    has. If it selects none, its ports are held against those that have the labels elsewhere, or, in its
    Namespaces, nearly.
    """
    of, _ = _MONITORS[want.about.kind]
    found = _list_monitored(session, want.about, monitor)
    if not found.read.reply.ok:
        return make_refused(want, found.read)
    held = _hold_against(session, want.about, of, terms, found)
    mine = [i for i in found.items if _matches(terms, labels_of(i))]
    far = [] if mine else _find_elsewhere(session, of, terms)
    near = mine or far or _find_nearest(terms, found.items)
    ports = tuple(dict.fromkeys(name for i in near for name in _list_port_names(i)))
    lost = tuple(name for name in _list_monitor_ports(want.about.kind, monitor) if name not in ports)
    where = tuple(name_of(i, of) for i in far[:_SHOWN])
    lost = lost if near else ()
    return replace(held, lost=lost, ports=ports[:_SHOWN] if lost else (), elsewhere=where)


def _list_monitored(session: Session, about: Ref, monitor: doc.Doc) -> Listing:
    """Return what is in the Namespaces that a monitor looks at, of the kind that it selects."""
    of, _ = _MONITORS[about.kind]
    spaces = doc.section(monitor, "spec", "namespaceSelector")
    named: list[str | None] = [*doc.strings(spaces, "matchNames")]
    every: list[str | None] = [None] if doc.flag(spaces, "any") else named or [about.within]
    listed = run_each(lambda space: session.listing(kind_named(of), space), every[:_SPACES])
    bad = next((one for one in listed if not one.read.reply.ok), None)
    items = tuple(i for one in listed for i in one.items)
    whole = len(every) <= _SPACES and all(one.whole for one in listed)
    return bad or replace(listed[0], items=items, whole=whole)


def _list_monitor_ports(kind: str, monitor: doc.Doc) -> tuple[str, ...]:
    """Return the names of the ports that a monitor asks for."""
    names = (doc.text(row, "port") for row in doc.rows(monitor, "spec", _MONITORS[kind][1]))
    return tuple(dict.fromkeys(name for name in names if name))


def _find_elsewhere(session: Session, of: str, terms: _Terms) -> list[doc.Doc]:
    """Return the objects of all Namespaces that have the labels."""
    found = session.listing(kind_named(of), None, most=_FEW) if terms else None
    return [i for i in found.items if _matches(terms, labels_of(i))] if found else []


def _find_nearest(terms: _Terms, items: Sequence[doc.Doc]) -> list[doc.Doc]:
    """Return the objects that have one of the labels with nearly its value."""
    asked = [(r.key, value) for term in terms for r in term for value in r.values]
    return [
        i for i in items if any(pick_nearest(value, (labels_of(i).get(key, ""),)) for key, value in asked)
    ]


def _list_port_names(item: doc.Doc) -> list[str]:
    """Return the names of a Service's ports, or of a Pod's."""
    rows = [*doc.rows(item, "spec", "ports")]
    for containers in ("containers", "initContainers"):
        rows += [p for c in doc.rows(item, "spec", containers) for p in doc.rows(c, "ports")]
    return [name for row in rows if (name := doc.text(row, "name"))]


def _hold_against(session: Session, about: Ref, of: str, terms: _Terms, found: Listing) -> Selects:
    labelled = [(doc.text(i, "metadata", "name"), labels_of(i)) for i in found.items]
    names = [name for name, labels in labelled if _matches(terms, labels)]
    makers = _list_makers(session, about, terms) if of == "Pod" and not names else ()
    keys = dict.fromkeys(r.key for term in terms for r in term)
    others = dict.fromkeys(f"{key}={labels[key]}" for _, labels in labelled for key in keys if key in labels)
    return Selects(
        about=about,
        src=found.read.src(f"{len(names)} of {len(labelled)} match"),
        of=of,
        selector=" or ".join(",".join(write_requirement(r) for r in term) for term in terms),
        count=len(names),
        names=tuple(names[:_SHOWN]),
        templates=makers,
        others=tuple([*others][:_SHOWN]) if not names else (),
        whole=found.whole,
    )


def _list_makers(session: Session, about: Ref, terms: _Terms) -> tuple[Ref, ...]:
    listed = run_each(lambda name: session.listing(kind_named(name), about.within), _MAKERS)
    rows = [
        i
        for found in listed
        for i in found.items
        if _matches(terms, dict(doc.pairs(i, "spec", "template", "metadata", "labels")))
    ]
    return tuple(r for i in rows[:_SHOWN] if (r := ref_of(i)))


def _matches(terms: _Terms, labels: Mapping[str, str]) -> bool:
    return not terms or any(all(holds(r, labels) for r in term) for term in terms)


def _read_selector(field: str) -> Callable[[StrictPart], _Terms]:
    def read(spec: StrictPart) -> _Terms:
        found = selector(spec, field)
        return (found.requirements,) if found and found.requirements else ()

    return read


def _read_nothing(_root: StrictPart) -> _Terms:
    """Return that the object as a whole selects nothing: its parts do."""
    return ()


def _read_runtime(root: StrictPart) -> _Terms:
    part = root.part("scheduling")
    pairs = part.pairs("nodeSelector") if part else ()
    return (tuple(Requirement(key, "In", (value,)) for key, value in pairs),) if pairs else ()


def _read_volume(spec: StrictPart) -> _Terms:
    terms = node_terms(spec.part("nodeAffinity"), "required") or ()
    # Apart from labels, only a Node's name can be required.
    return () if any(t.fields for t in terms) else tuple(t.expressions for t in terms)


def _read_daemon_set(spec: StrictPart) -> _Terms:
    """Return the template's requirements for Node labels: its nodeSelector, and one term of its affinity."""
    template = spec.part("template")
    pod = template.part("spec") if template else None
    if pod is None:
        return ()
    own = tuple(Requirement(key, "In", (value,)) for key, value in pod.pairs("nodeSelector"))
    affinity = pod.part("affinity")
    required = node_terms(
        affinity.part("nodeAffinity") if affinity else None, "requiredDuringSchedulingIgnoredDuringExecution"
    )
    if required and any(t.fields for t in required):
        return ()
    terms = tuple((*own, *t.expressions) for t in required or () if t.expressions)
    return terms or ((own,) if own else ())


def _read_class(root: StrictPart) -> _Terms:
    def term(row: StrictPart) -> Sequence[Requirement]:
        return [Requirement(r.key, "In", r.values) for r in requirements(row, "matchLabelExpressions")]

    return tuple(tuple(term(row)) for row in root.parts("allowedTopologies"))


# monitoring/v1 of prometheus-operator: the kind that each selects, and its list with ports.
_MONITORS = MappingProxyType(
    {
        "ServiceMonitor.monitoring.coreos.com": ("Service", "endpoints"),
        "PodMonitor.monitoring.coreos.com": ("Pod", "podMetricsEndpoints"),
    }
)
_SPACES, _FEW = 8, 2
_WITH_SPEC = (*_MONITORS, "NetworkPolicy", "PodDisruptionBudget", "PersistentVolume", "DaemonSet")
_OF_NODES = ("DaemonSet",)
_READERS: Mapping[str, Callable[[StrictPart], _Terms]] = MappingProxyType(
    {
        "NetworkPolicy": _read_selector("podSelector"),
        "PodDisruptionBudget": _read_selector("selector"),
        "RuntimeClass": _read_runtime,
        "PersistentVolume": _read_volume,
        "StorageClass": _read_class,
        "DaemonSet": _read_daemon_set,
        **dict.fromkeys(_MONITORS, _read_selector("selector")),
        **dict.fromkeys(WEBHOOK_CONFIGURATIONS, _read_nothing),
    }
)
