"""Finds the controllers of a class: the workloads tied to its controller's name, and the objects of the class
that were served already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from unstuck.collect.kube.questions.finalizers import (
    LOOKED_AT,
    Marks,
    SearchedLists,
    search,
    with_replicas,
    words,
)
from unstuck.collect.kube.questions.objects import kind_named, read_object
from unstuck.collect.kube.questions.resources import kind_of_ref
from unstuck.collect.kube.questions.users import read_class
from unstuck.collect.kube.questions.written import find_tied, own_part
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Session, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import ref_of
from unstuck.collect.objects.targets import GATEWAY
from unstuck.facts.aspects.classes import ClassWork
from unstuck.facts.aspects.cluster import Candidate
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.kinds import OWN_SIGNERS

_PAGES = 2
_CLAIM = "PersistentVolumeClaim"
# Parts of names that tell programs of storage from others, and parts that most provisioners share.
_STORES = regex(r"csi|provision|storage|nfs|rook|ceph|hostpath")
_OF_ALL_DRIVERS = frozenset(
    ("csi", "com", "org", "k8s", "net", "dev", "local", "driver", "storage", "provisioner")
)
_GATEWAY_CLASS = f"GatewayClass.{GATEWAY}"
# Programs that give Services without loadBalancerClass their addresses.
_GIVERS = regex(
    r"cloud-controller|(?:^|[ -])ccm(?:-|$)|metallb|kube-vip|svclb|klipper|openelb|purelb|loxilb"
    r"|porter-lb|servicelb|load-?balancer|cloud-provider"
)
# cloud-provider implementations, by the scheme of spec.providerID; others have their controller in the
# cluster.
_CLOUDS = regex(r"^(?P<cloud>aws|gce|azure|digitalocean|ibm|oci|alicloud|exoscale|linode|scaleway|vultr)\b")


@record()
class _NamedClass(Record):
    """of: the class, a separate object. controller: the name of its controller; for the class of a Service,
    the class itself; "" if none is named.
    """

    of: Ref | None = None
    controller: str = ""


def find_class_work(session: Session, want: Want) -> list[Fact]:
    """Return the controllers of the object's class."""
    about = want.about
    kind, class_of = kind_of_ref(session, about.kind), _CLASSES.get(about.kind)
    if kind is None or class_of is None or not about.name:
        return [make_unanswered(want, "not-offered", f"{about.kind} has no class")]
    own = session.object(kind, about)
    if not own.reply.ok:
        return read_object(session, own, about, want)
    named = class_of(own.reply.doc)
    if named is None:
        return [make_unanswered(want, "not-offered", "it names no class")]
    controller = named.controller
    if named.of is not None:
        read = session.object(kind_of_ref(session, named.of.kind) or kind, named.of)
        if not read.reply.ok:
            return [make_unanswered(want, "not-offered", f"{named.of} does not exist")]
        controller = (
            doc.text(read.reply.doc, "spec", "controller")
            or doc.text(read.reply.doc, "spec", "controllerName")
            or doc.text(read.reply.doc, "provisioner")
        )
    listed = session.listing(kind, None, most=_PAGES)
    uid = doc.text(own.reply.doc, "metadata", "uid")
    alike = [i for i in listed.items if doc.text(i, "metadata", "uid") != uid and class_of(i) == named]
    lists = session.remember(SearchedLists, lambda: search(session))
    served = [i for i in alike if _is_served(i)]
    find_controllers = _find_provisioners if about.kind == _CLAIM else _find_controllers
    candidates = find_controllers(session, controller, lists)
    src = listed.read.src(
        f"{len(served)} of {len(alike)} others of its class are served; its controller may be "
        f"{', '.join(str(c.ref) for c in candidates) or 'none here'}"
    )
    whole = listed.whole and all(one.whole and one.read.reply.ok for one in lists.workloads)
    return [
        ClassWork(
            about=about,
            src=src,
            of=named.of,
            controller=controller,
            others=len(alike),
            served=len(served),
            candidates=candidates,
            cloud=_find_cloud(session) if about.kind == "Service" else "",
            whole=whole,
        )
    ]


def find_controllers(session: Session, name: str) -> tuple[Candidate, ...] | None:
    """Return the workloads tied to a controller's name; None if not all workloads could be listed."""
    lists = session.remember(SearchedLists, lambda: search(session))
    whole = all(one.whole and one.read.reply.ok for one in lists.workloads)
    return _find_controllers(session, name, lists) if whole else None


def _find_controllers(session: Session, name: str, lists: SearchedLists) -> tuple[Candidate, ...]:
    """Return the workloads tied to a controller's name; without a name, those of known load balancers."""
    if name:
        domain, _, path = name.rpartition("/")
        marks = [Marks(frozenset(words(p, "")), "", None) for p in (path, ".".join(own_part(domain)), domain)]
        return find_tied(session, [m for m in marks if m.words], lists)
    found = [
        Candidate(ref, "its name is that of a program which gives Services their addresses")
        for one in lists.workloads
        for i in one.items
        if (ref := ref_of(i)) and _GIVERS.search(f"{ref.within} {ref.name}".lower())
    ]
    return tuple(run_each(lambda c: with_replicas(session, c), found[:LOOKED_AT]))


def _find_provisioners(session: Session, name: str, lists: SearchedLists) -> tuple[Candidate, ...]:
    """Return the workloads whose template has the provisioner's name; else those whose own name says that
    they serve storage, and shares a word with it.
    """
    shared = {w for w in re.split(r"[^a-z0-9]+", name.lower()) if len(w) > 2} - _OF_ALL_DRIVERS
    found = [
        ref
        for one in lists.workloads
        for item in one.items
        if (ref := ref_of(item)) and shared & set(re.split(r"[^a-z0-9]+", f"{ref.within} {ref.name}".lower()))
    ]
    named, alike = list[Candidate](), list[Candidate]()
    for ref in sorted(found, key=lambda r: (not _STORES.search(r.name or ""), r.key))[:LOOKED_AT]:
        read = session.object(kind_named(ref.kind), ref)
        if read.reply.ok and _has_word(doc.section(read.reply.doc, "spec", "template", "spec"), name):
            named.append(Candidate(ref, f"its template has {name}"))
        elif _STORES.search(ref.name or ""):
            alike.append(Candidate(ref, f"its name shares a word with {name}"))
    return tuple(run_each(lambda c: with_replicas(session, c), named or alike))


def _has_word(spec: doc.Doc, word: str) -> bool:
    """Tell whether a container's command, arguments or variables have this name."""
    rows = (*doc.rows(spec, "containers"), *doc.rows(spec, "initContainers"))
    written = [
        text
        for row in rows
        for text in (
            *doc.strings(row, "command"),
            *doc.strings(row, "args"),
            *(doc.text(e, "value") for e in doc.rows(row, "env")),
        )
    ]
    whole = re.compile(rf"(?<![\w.-]){re.escape(word)}(?![\w.-])")
    return any(whole.search(text) for text in written)


def _find_cloud(session: Session) -> str:
    """Return the cloud that made the Nodes; "" where they are of none that runs its controllers elsewhere."""
    nodes = session.listing(kind_named("Node"), None).items
    found = (_CLOUDS.match(doc.text(n, "spec", "providerID")) for n in nodes)
    return next((m["cloud"] for m in found if m), "")


def _is_served(item: doc.Doc) -> bool:
    status = doc.section(item, "status")
    addresses = doc.rows(status, "loadBalancer", "ingress") or doc.rows(status, "addresses")
    return bool(addresses or doc.text(status, "certificate") or doc.text(status, "phase") == "Bound")


def _of_claim(item: doc.Doc) -> _NamedClass | None:
    name = doc.text(item, "spec", "storageClassName")
    return _NamedClass(Ref("StorageClass", None, name)) if name else None


def _of_ingress(item: doc.Doc) -> _NamedClass | None:
    name = read_class(item)
    return _NamedClass(Ref("IngressClass", None, name)) if name else None


def _of_gateway(item: doc.Doc) -> _NamedClass | None:
    name = doc.text(item, "spec", "gatewayClassName")
    return _NamedClass(Ref(_GATEWAY_CLASS, None, name)) if name else None


def _of_service(item: doc.Doc) -> _NamedClass | None:
    """Return the class of a Service, which is itself its controller's name."""
    if doc.text(item, "spec", "type") != "LoadBalancer":
        return None
    return _NamedClass(None, doc.text(item, "spec", "loadBalancerClass"))


def _of_request(item: doc.Doc) -> _NamedClass | None:
    """Return a request's signer, which is itself its controller's name."""
    signer = doc.text(item, "spec", "signerName")
    return _NamedClass(None, signer) if signer and not signer.startswith(OWN_SIGNERS) else None


_CLASSES: Mapping[str, Callable[[doc.Doc], _NamedClass | None]] = MappingProxyType(
    {
        "Ingress": _of_ingress,
        f"Gateway.{GATEWAY}": _of_gateway,
        "Service": _of_service,
        "CertificateSigningRequest": _of_request,
        _CLAIM: _of_claim,
    }
)
