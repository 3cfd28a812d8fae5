"""Counterparts of Istio's objects (networking.istio.io v1; istio documentation, Traffic Management)."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.kube.questions.pairs_tools import (
    labels_of,
    list_all,
    name_of,
    read_one,
    write_labels,
)
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.collect.objects.project_references import MESH, find_mesh_service
from unstuck.collect.objects.targets import walk
from unstuck.facts.aspects.counterparts import Counterpart
from unstuck.facts.core import Ref

VIRTUAL, RULE, DOOR = (f"{k}.{MESH}" for k in ("VirtualService", "DestinationRule", "Gateway"))
_ROUTES = (
    "spec.http[].route[].destination",
    "spec.tcp[].route[].destination",
    "spec.tls[].route[].destination",
)
_MOST, _SHOWN = 12, 4
_PEER, _ROOT = "PeerAuthentication.security.istio.io", "istio-system"
# The modes of a rule that send without the mesh's own certificates.
_PLAIN = ("DISABLE", "SIMPLE")


def read_subsets(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield each subset of a VirtualService with the subsets that its host has."""
    asked = [(at, row) for path in _ROUTES for at, row in walk(obj, path) if doc.text(row, "subset")]
    rules = list_all(session, RULE, None) if asked else None
    for at, row in asked[:_MOST] if rules is not None else ():
        host = doc.text(row, "host")
        mine = [
            r
            for r in rules or ()
            if _is_same_host(host, about, doc.text(r, "spec", "host"), name_of(r, RULE))
        ]
        yield Counterpart(
            "mesh-subset",
            about,
            f"{at}.subset",
            doc.text(row, "subset"),
            RULE,
            tuple(name_of(r, RULE) for r in mine[:_SHOWN]),
            "spec.subsets[].name",
            tuple(dict.fromkeys(doc.text(s, "name") for r in mine for s in doc.rows(r, "spec", "subsets"))),
        )


def _is_same_host(host: str, of: Ref, other: str, rule: Ref) -> bool:
    one, two = find_mesh_service(host, of.within), find_mesh_service(other, rule.within)
    if one or two:
        return one == two
    return host == other or (other.startswith("*") and host.endswith(other[1:]))


def read_hosts(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield each host of a VirtualService with the hosts of the Gateways that it is for."""
    names = doc.strings(obj, "spec", "gateways")
    refs = [Ref(DOOR, *_split(name, about.within)) for name in names if name != "mesh"]
    doors = [(ref, read_one(session, ref)) for ref in refs[:_SHOWN]]
    if "mesh" in names or not doors or any(door is None for _, door in doors) or len(refs) > _SHOWN:
        return
    there = [
        host
        for ref, door in doors
        for _, server in walk(door, "spec.servers[]")
        for host in _list_open_hosts(server, ref, about)
    ]
    for i, host in enumerate(doc.strings(obj, "spec", "hosts")[:_MOST]):
        yield Counterpart(
            "mesh-gateway-host",
            about,
            f"spec.hosts[{i}]",
            host,
            DOOR,
            tuple(ref for ref, _ in doors),
            "spec.servers[].hosts",
            tuple(dict.fromkeys(there)),
        )


def _split(name: str, own: str | None) -> tuple[str | None, str]:
    space, slash, rest = name.partition("/")
    return (space, rest) if slash else (own, name)


def _list_open_hosts(server: doc.Doc, door: Ref, of: Ref) -> Iterator[str]:
    """Yield the hosts of a server that it opens to this Namespace: `ns/host`, `./host`, `*/host`."""
    for host in doc.strings(server, "hosts"):
        space, slash, rest = host.partition("/")
        if not slash:
            yield host
        elif space in ("*", of.within) or (space == "." and door.within == of.within):
            yield rest


def read_subset_labels(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the labels of each subset with those of the Pods behind its host."""
    to = find_mesh_service(doc.text(obj, "spec", "host"), about.within)
    rows = doc.rows(obj, "spec", "subsets")[:_MOST]
    service = read_one(session, to) if to and rows else None
    chosen = doc.pairs(service, "spec", "selector")
    if to is None or not chosen:
        return
    pods = list_all(session, "Pod", to.within, write_labels(chosen))
    mine = [labels_of(p) for p in pods or ()]
    for i, row in enumerate(rows if pods else ()):
        labels = doc.pairs(row, "labels")
        if not labels:
            continue
        yield Counterpart(
            "mesh-subset-labels",
            about,
            f"spec.subsets[{i}].labels",
            write_labels(labels),
            "Pod",
            tuple(name_of(p, "Pod") for p in (pods or ())[:_SHOWN]),
            "metadata.labels",
            tuple(dict.fromkeys(write_labels((k, m[k]) for k, _ in labels if k in m) for m in mine)),
        )


def read_door_selector(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield a Gateway's selector with the labels of the Pods that have its keys."""
    labels = doc.pairs(obj, "spec", "selector")
    if not labels:
        return
    pods = list_all(session, "Pod", None, ",".join(k for k, _ in labels))
    if pods is None:
        return
    mine = [(name_of(p, "Pod"), labels_of(p)) for p in pods]
    values = tuple(dict.fromkeys(write_labels((k, m[k]) for k, _ in labels if k in m) for _, m in mine))
    yield Counterpart(
        "mesh-gateway-selector",
        about,
        "spec.selector",
        write_labels(labels),
        "Pod",
        tuple(ref for ref, _ in mine[:_SHOWN]),
        "metadata.labels",
        values[:_MOST] if write_labels(labels) not in values else (write_labels(labels),),
    )


def read_rule_tls(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield how a DestinationRule has requests sent with how the Pods behind its host take them.

    Of the policies for a Pod the one with a selector counts before that of its Namespace, and this before
    that of the mesh (istio security v1beta1, PeerAuthentication).
    """
    mode = doc.text(obj, "spec", "trafficPolicy", "tls", "mode")
    to = find_mesh_service(doc.text(obj, "spec", "host"), about.within)
    service = read_one(session, to) if to and mode in _PLAIN else None
    policies = list_all(session, _PEER, None) if service is not None else None
    if to is None or policies is None:
        return
    chosen = dict(doc.pairs(service, "spec", "selector"))
    mine = [(_weigh(p, to, chosen), p) for p in policies]
    best = max((row for row in mine if row[0]), key=lambda row: row[0], default=None)
    asked = doc.text(best[1], "spec", "mtls", "mode") if best else ""
    if best and asked:
        yield Counterpart(
            "mesh-mtls",
            about,
            "spec.trafficPolicy.tls.mode",
            mode,
            _PEER,
            (name_of(best[1], _PEER),),
            "spec.mtls.mode",
            (asked,),
        )


def _weigh(policy: doc.Doc, to: Ref, chosen: dict[str, str]) -> int:
    """Return how near a policy is to the Pods with these labels; 0 if it is not about them."""
    labels = dict(doc.pairs(policy, "spec", "selector", "matchLabels"))
    space = doc.text(policy, "metadata", "namespace")
    if space == to.within:
        return 2 if not labels else 3 if labels.items() <= chosen.items() else 0
    return 1 if space == _ROOT and not labels else 0
