"""Services: their selectors, ports and Pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject, status_facts
from unstuck.collect.objects.references import LEADER
from unstuck.facts.aspects.cluster import Backends
from unstuck.facts.aspects.services import (
    Behind,
    Beside,
    Nearly,
    ServicePods,
    ServicePort,
    ServicesBeside,
    ServiceSpec,
)
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.regex import regex

_NEAR = 3
_ENDED = ("Succeeded", "Failed")
# The labels by which Pods name their application.
_NAMING = ("app", "app.kubernetes.io/name", "k8s-app")
_PARTS = regex(r"[-._/]")
# In shorter words one letter makes another word.
_LETTER_OFF, _LETTER_OTHER = 4, 5


def service_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield ServiceSpec of a Service."""
    spec = doc.section(seen.obj, "spec")
    # A spec without ports is shown of an ExternalName alone, or was not shown.
    if spec.get("ports") or spec.get("externalName") or spec.get("selector"):
        selector = doc.pairs(spec, "selector")
        ports = tuple(_read_port(row) for row in doc.rows(spec, "ports"))
        local = doc.text(spec, "internalTrafficPolicy") == "Local"
        quote = (
            f"selector {', '.join(f'{k}={v}' for k, v in selector) or 'none'}; ports "
            f"{', '.join(f'{p.port}→{p.target}' for p in ports)}"
        )
        quote += "; internalTrafficPolicy: Local" if local else ""
        yield ServiceSpec(
            about=seen.ref,
            src=seen.src(quote),
            selector=selector,
            ports=ports,
            outside=doc.text(spec, "type") == "ExternalName",
            local=local,
            addresses=tuple(
                a
                for a in doc.strings(spec, "clusterIPs") or (doc.text(spec, "clusterIP"),)
                if a not in ("", "None")
            ),
            outer=_list_outer(seen.obj),
            ranges=doc.strings(spec, "loadBalancerSourceRanges"),
            whole=seen.observed,
        )
    yield from status_facts(seen)


def endpoints_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield Backends for Endpoints without a ready address, except leader election locks, which never have
    one.
    """
    leads = doc.text(seen.obj, "metadata", "annotations", LEADER)
    subsets = doc.rows(seen.obj, "subsets")
    unready = {doc.text(a, "ip") for s in subsets for a in doc.rows(s, "notReadyAddresses")}
    if seen.observed and not leads and not any(doc.rows(s, "addresses") for s in subsets):
        quote = f"not ready: {', '.join(sorted(unready))}" if unready else "subsets: none"
        service = Ref("Service", seen.ref.within, seen.ref.name)
        yield Backends(about=service, src=seen.src(quote), ready=0, total=len(unready), whole=False)
    yield from status_facts(seen)


def make_no_backend(service: Ref, src: Source) -> Backends:
    """Return Backends for a Service that is shown without endpoints."""
    return Backends(about=service, src=src, ready=0, total=0, whole=False)


def _read_port(row: doc.Doc) -> ServicePort:
    port = doc.whole_number(row, "port") or 0
    return ServicePort(
        port,
        doc.scalar(row, "targetPort") or str(port),
        doc.text(row, "name"),
        doc.text(row, "protocol") or "TCP",
        doc.whole_number(row, "nodePort") or 0,
    )


def _list_outer(service: doc.Doc) -> tuple[str, ...]:
    """Return the addresses of a Service outside of the range of cluster IPs."""
    spec, rows = doc.section(service, "spec"), doc.rows(service, "status", "loadBalancer", "ingress")
    return (*doc.strings(spec, "externalIPs"), *(ip for row in rows if (ip := doc.text(row, "ip"))))


def match_pods(
    service: Ref, spec: ServiceSpec, pods: Sequence[doc.Doc], src: Source, *, whole: bool
) -> ServicePods:
    """Match the Pods of a Namespace against a Service's selector. whole: these are all of them."""
    live = [p for p in pods if doc.text(p, "status", "phase") not in _ENDED]
    wanted = dict(spec.selector)
    matched, rest = [], []
    for pod in live:
        labels = dict(doc.pairs(pod, "metadata", "labels"))
        differs = _find_differences(wanted, labels)
        if not differs:
            matched.append(_read_backend(pod))
        elif any(k in labels for k in wanted):
            rest.append(Nearly(doc.text(pod, "metadata", "name"), differs, is_ready(pod)))
    rest.sort(key=lambda n: (len(n.differs), not n.ready, n.name))
    matched.sort(key=lambda b: b.name)
    return ServicePods(
        about=service,
        src=src,
        matched=tuple(matched),
        nearly=tuple(rest[:_NEAR]),
        total=len(live),
        whole=whole,
    )


def _find_differences(wanted: Mapping[str, str], labels: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((k, labels.get(k, "")) for k, v in wanted.items() if labels.get(k) != v)


def _read_backend(pod: doc.Doc) -> Behind:
    spec = doc.section(pod, "spec")
    since = next((doc.time(c, "lastTransitionTime") for c in _list_conditions_of_readiness(pod)), None)
    protocols = tuple(doc.text(p, "protocol") or "TCP" for p in _list_port_rows(spec))
    name, node = doc.text(pod, "metadata", "name"), doc.text(spec, "nodeName")
    probed, address = tuple(_read_probed(spec)), doc.text(pod, "status", "podIP")
    return Behind(name, is_ready(pod), _read_ports(spec), node, since, protocols, probed, address)


def _read_probed(spec: doc.Doc) -> Iterator[int]:
    """Yield the numbers of the ports to which readiness probes connect."""
    for row in doc.rows(spec, "containers"):
        named = {
            doc.text(p, "name"): doc.whole_number(p, "containerPort") or 0 for p in doc.rows(row, "ports")
        }
        for how in ("tcpSocket", "httpGet", "grpc"):
            port = doc.scalar(doc.section(row, "readinessProbe", how), "port")
            if number := named.get(port) or (int(port) if port.isdecimal() else 0):
                yield number


def is_ready(pod: doc.Doc) -> bool:
    """Tell whether the Pod's condition Ready is True."""
    return any(doc.text(c, "status") == "True" for c in _list_conditions_of_readiness(pod))


def _list_conditions_of_readiness(pod: doc.Doc) -> list[doc.Doc]:
    return [c for c in doc.rows(pod, "status", "conditions") if doc.text(c, "type") == "Ready"]


def _read_ports(spec: doc.Doc) -> tuple[tuple[str, int], ...]:
    return tuple(
        (doc.text(p, "name"), doc.whole_number(p, "containerPort") or 0) for p in _list_port_rows(spec)
    )


def _list_port_rows(spec: doc.Doc) -> list[doc.Doc]:
    containers = [*doc.rows(spec, "containers"), *doc.rows(spec, "initContainers")]
    return [p for c in containers for p in doc.rows(c, "ports")]


def compare_services(
    about: Ref, obj: doc.Doc, services: Sequence[tuple[Ref, ServiceSpec]], src: Source, *, whole: bool
) -> ServicesBeside:
    """Compare the Services of a Namespace with a Pod, or a workload's Pods. whole: these are all of them."""
    items = [b for ref, spec in services if (b := compare_service(obj, ref, spec))]
    items.sort(key=lambda b: (bool(b.differs), len(b.differs), b.service.key))
    quote = "; ".join(map(_summarize, items[:_NEAR])) or f"{len(services)} Services, none amiss"
    return ServicesBeside(
        about=about, src=Source(src.where, quote, src.at), items=tuple(items[:_NEAR]), whole=whole
    )


def _summarize(b: Beside) -> str:
    selects = f"{b.service.name} selects {','.join(f'{k}={v}' for k, v in b.selector)}"
    return ", ".join((selects, *(f"sends {p.port} to {p.target}" for p in b.lost)))


def compare_service(obj: doc.Doc, service: Ref, spec: ServiceSpec) -> Beside | None:
    """Return a Service's mismatch with a Pod or a workload's Pods; None if there is none, or the Service is
    meant for others.

    It is meant for them if it has the name of their workload, or the name in their labels, and selects by one
    of their labels; or if they have all keys of its selector, with values that differ only by typos.
    """
    if not spec.selector or spec.outside:
        return None
    template = doc.section(obj, "spec", "template")
    labels = dict(doc.pairs(template or obj, "metadata", "labels"))
    differs = _find_differences(dict(spec.selector), labels)
    if not differs:
        lost = _find_lost_ports(spec, _read_ports(doc.section(template or obj, "spec")))
        return Beside(service, spec.selector, (), lost) if lost else None
    wanted = dict(spec.selector)
    akin = any(k in labels or v in labels.values() for k, v in spec.selector)
    named = akin and service.name in (
        *_list_workload_names(obj),
        *(labels[k] for k in _NAMING if k in labels),
    )
    slips = all(own and wanted[k] != service.name and is_slip(wanted[k], own) for k, own in differs)
    return Beside(service, spec.selector, differs) if named or slips else None


def _find_lost_ports(spec: ServiceSpec, ports: tuple[tuple[str, int], ...]) -> tuple[ServicePort, ...]:
    names, numbers = {name for name, _ in ports}, {number for _, number in ports}
    # A Pod that declares no port at all may listen on any.
    return tuple(
        p
        for p in spec.ports
        if (
            p.target not in names
            if not p.target.isdecimal()
            else bool(numbers) and int(p.target) not in numbers
        )
    )


def _list_workload_names(obj: doc.Doc) -> Iterator[str]:
    """Yield the workload's own name, or the names of its Pod's owners."""
    if "template" in doc.section(obj, "spec"):
        yield doc.text(obj, "metadata", "name")
    for owner in doc.rows(obj, "metadata", "ownerReferences"):
        name = doc.text(owner, "name")
        yield name.rpartition("-")[0] if doc.text(owner, "kind") == "ReplicaSet" else name


def is_slip(a: str, b: str) -> bool:
    """Tell whether two words differ only by a typo: case, separators, one letter added or changed, two
    letters swapped.

    Digits distinguish things (`v1`, `v2`), and so do short parts (`shard-a`, `shard-b`).
    """
    if a == b or not a or not b:
        return False
    if a.lower() == b.lower() or (
        _PARTS.sub("", a).lower() == _PARTS.sub("", b).lower() and not any(c.isdigit() for c in a)
    ):
        return True
    ours, theirs = _PARTS.split(a.lower()), _PARTS.split(b.lower())
    if len(ours) != len(theirs):
        return False
    off = [(x, y) for x, y in zip(ours, theirs, strict=True) if x != y]
    return len(off) == 1 and _is_letter_off(*off[0])


def _is_letter_off(x: str, y: str) -> bool:
    start = next((i for i, (c, d) in enumerate(zip(x, y, strict=False)) if c != d), min(len(x), len(y)))
    end = next(
        (i for i, (c, d) in enumerate(zip(x[start:][::-1], y[start:][::-1], strict=False)) if c != d),
        min(len(x), len(y)) - start,
    )
    left, right = x[start : len(x) - end], y[start : len(y) - end]
    if any(c.isdigit() for c in left + right):
        return False
    length = min(len(x), len(y))
    if len(left) == len(right) == 1:
        return length >= _LETTER_OTHER
    if len(left) + len(right) == 1:
        return length >= _LETTER_OFF
    return len(left) == 2 and left == right[::-1] and length >= len(left) + 1
