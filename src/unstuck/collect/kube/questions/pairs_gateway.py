"""Counterparts of the Gateway API's objects (gateway-api apis/v1: Listener, HTTPRoute, ReferenceGrant)."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from unstuck.collect.kube.questions.pairs_tools import list_all, name_of, read_one
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.collect.objects.targets import GATEWAY, walk
from unstuck.facts.aspects.counterparts import Counterpart
from unstuck.facts.core import Ref

DOOR, GRANT = f"Gateway.{GATEWAY}", f"ReferenceGrant.{GATEWAY}"
_MOST, _SHOWN = 12, 4
# Listener, Protocol: the routes that each supports; a listener with TLS may end it and take TCPRoutes.
_KINDS = MappingProxyType(
    {
        "HTTP": ("HTTPRoute", "GRPCRoute"),
        "HTTPS": ("HTTPRoute", "GRPCRoute"),
        "TLS": ("TLSRoute", "TCPRoute"),
        "TCP": ("TCPRoute",),
        "UDP": ("UDPRoute",),
    }
)


def read_route_listeners(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the kind and each host name of a route with those of the listeners that it may attach to."""
    parents = doc.rows(obj, "spec", "parentRefs")
    refs = [Ref(DOOR, doc.text(p, "namespace") or about.within, doc.text(p, "name")) for p in parents]
    doors = [read_one(session, ref) for ref in refs[:_SHOWN]]
    # A parent of another kind, as a set of listeners or a Service, may take what these do not.
    if not doors or len(refs) > _SHOWN or any(doc.text(p, "kind") not in ("", "Gateway") for p in parents):
        return
    rows = list[doc.Doc]()
    for parent, door in zip(parents, doors, strict=True):
        if door is None:
            return
        rows += _choose(parent, door)
    to, kind = tuple(dict.fromkeys(refs)), about.kind.partition(".")[0]
    kinds = tuple(dict.fromkeys(k for row in rows for k in _list_kinds(row)))
    if kinds:
        yield Counterpart(
            "route-kind", about, "kind", kind, DOOR, to, "spec.listeners[].allowedRoutes.kinds", kinds
        )
    # A listener without a host name takes any, and one for another kind none.
    there = [doc.text(row, "hostname") for row in rows if kind in _list_kinds(row)]
    if not all(there):
        return
    for i, host in enumerate(doc.strings(obj, "spec", "hostnames")[:_MOST] if there else ()):
        yield Counterpart(
            "route-host",
            about,
            f"spec.hostnames[{i}]",
            host,
            DOOR,
            to,
            "spec.listeners[].hostname",
            tuple(dict.fromkeys(there)),
        )


def _list_kinds(listener: doc.Doc) -> list[str]:
    """Return the kinds of routes that a listener takes: by its list, else by its protocol."""
    named = [doc.text(row, "kind") for row in doc.rows(listener, "allowedRoutes", "kinds")]
    return named or [
        *_KINDS.get(doc.text(listener, "protocol"), (*_KINDS["HTTP"], *_KINDS["TLS"], "UDPRoute"))
    ]


def _choose(parent: doc.Doc, door: doc.Doc) -> list[doc.Doc]:
    name, port = doc.text(parent, "sectionName"), doc.scalar(parent, "port")
    return [
        row
        for row in doc.rows(door, "spec", "listeners")
        if name in ("", doc.text(row, "name")) and port in ("", doc.scalar(row, "port"))
    ]


def read_grants(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield each reference into another Namespace with what that Namespace grants."""
    own = about.kind.partition(".")[0]
    places = ("spec.rules[].backendRefs[]", "spec.listeners[].tls.certificateRefs[]")
    default = "Secret" if own == "Gateway" else "Service"
    asked = [
        (at, row)
        for path in places
        for at, row in walk(obj, path)
        if doc.text(row, "namespace") not in ("", about.within)
    ]
    for at, row in asked[:_MOST]:
        space, kind, name = (
            doc.text(row, "namespace"),
            doc.text(row, "kind") or default,
            doc.text(row, "name"),
        )
        grants = list_all(session, GRANT, space)
        if grants is None:
            continue
        there = [one for g in grants for one in _list_granted(g, name)]
        yield Counterpart(
            "route-grant",
            about,
            at,
            f"{own} {about.within} → {kind} {name}",
            GRANT,
            tuple(name_of(g, GRANT) for g in grants[:_SHOWN]),
            "spec.from, spec.to",
            tuple(dict.fromkeys(there)),
        )


def _list_granted(grant: doc.Doc, name: str) -> Iterator[str]:
    """Yield what a grant allows. name: of the target, which a grant without a name allows as well."""
    for one in doc.rows(grant, "spec", "from"):
        for to in doc.rows(grant, "spec", "to"):
            named = doc.text(to, "name") or name
            yield f"{doc.text(one, 'kind')} {doc.text(one, 'namespace')} → {doc.text(to, 'kind')} {named}"
