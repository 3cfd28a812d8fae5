"""The typed references of objects of well-known projects, each with its field.

Sources: gateway-api apis/v1, external-snapshotter v1, cert-manager v1, fluxcd source v1, keda v1alpha1, kueue
v1beta1, prometheus-operator monitoring/v1, istio networking.istio.io/v1, traefik.io/v1alpha1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from unstuck.collect.objects import doc
from unstuck.collect.objects.conventions import read_by_convention, read_order
from unstuck.collect.objects.generic import SeenObject
from unstuck.collect.objects.targets import (
    GATEWAY,
    SNAPSHOTS,
    make_reference,
    make_target,
    read_target,
    walk,
)
from unstuck.facts.aspects.references import Reference
from unstuck.facts.core import Ref
from unstuck.facts.vocabulary.kinds import ROUTES

ReferenceReader = Callable[[SeenObject], Iterator[Reference]]

CERTIFICATES, MESH = "cert-manager.io", "networking.istio.io"
_QUEUES = "kueue.x-k8s.io"
_SOURCES = "source.toolkit.fluxcd.io"
_TRAEFIK = "traefik.io"


def _read_route(seen: SeenObject) -> Iterator[Reference]:
    for i, parent in enumerate(doc.rows(seen.obj, "spec", "parentRefs")):
        beside = tuple((key, value) for key in ("sectionName", "port") if (value := doc.scalar(parent, key)))
        for one in make_reference(
            f"spec.parentRefs[{i}]", read_target(parent, seen, "Gateway", GATEWAY), serves=True
        ):
            yield replace(one, beside=beside)
    for i, rule in enumerate(doc.rows(seen.obj, "spec", "rules")):
        for j, row in enumerate(doc.rows(rule, "backendRefs")):
            to = read_target(row, seen, "Service", "")
            yield from make_reference(
                f"spec.rules[{i}].backendRefs[{j}]", to, serves=True, port=doc.scalar(row, "port")
            )


def _read_gateway(seen: SeenObject) -> Iterator[Reference]:
    yield from make_reference(
        "spec.gatewayClassName",
        make_target(f"GatewayClass.{GATEWAY}", seen, doc.text(seen.obj, "spec", "gatewayClassName")),
    )
    for i, listener in enumerate(doc.rows(seen.obj, "spec", "listeners")):
        host, certificates = (
            doc.text(listener, "hostname").lower(),
            doc.rows(listener, "tls", "certificateRefs"),
        )
        # If there are several, the controller chooses by the client's requested name.
        hosts = (host,) if host and len(certificates) == 1 else ()
        for j, row in enumerate(certificates):
            for one in make_reference(
                f"spec.listeners[{i}].tls.certificateRefs[{j}]", read_target(row, seen, "Secret", "")
            ):
                yield replace(one, hosts=hosts) if one.to.kind == "Secret" else one


def _read_snapshot(seen: SeenObject) -> Iterator[Reference]:
    spec = doc.section(seen.obj, "spec")
    # A bound snapshot no longer needs its source.
    if not doc.text(seen.obj, "status", "boundVolumeSnapshotContentName"):
        claim = doc.text(spec, "source", "persistentVolumeClaimName")
        yield from make_reference(
            "spec.source.persistentVolumeClaimName", make_target("PersistentVolumeClaim", seen, claim)
        )
        kind = f"VolumeSnapshotClass.{SNAPSHOTS}"
        yield from make_reference(
            "spec.volumeSnapshotClassName", make_target(kind, seen, doc.text(spec, "volumeSnapshotClassName"))
        )


def _read_certificate(seen: SeenObject) -> Iterator[Reference]:
    issuer = doc.section(seen.obj, "spec", "issuerRef")
    yield from make_reference("spec.issuerRef", read_target(issuer, seen, "Issuer", CERTIFICATES))


def _read_delivered(seen: SeenObject) -> Iterator[Reference]:
    yield from read_order(seen)
    for path in (("spec", "sourceRef"), ("spec", "chart", "spec", "sourceRef")):
        yield from make_reference(
            ".".join(path), read_target(doc.section(seen.obj, *path), seen, "", _SOURCES)
        )


def _read_scaled(seen: SeenObject) -> Iterator[Reference]:
    yield from make_reference(
        "spec.scaleTargetRef",
        read_target(doc.section(seen.obj, "spec", "scaleTargetRef"), seen, "Deployment", "apps"),
    )
    for i, row in enumerate(doc.rows(seen.obj, "spec", "triggers")):
        login = doc.section(row, "authenticationRef")
        to = read_target(login, seen, "TriggerAuthentication", "keda.sh")
        yield from make_reference(f"spec.triggers[{i}].authenticationRef", to)


def _read_queue(seen: SeenObject) -> Iterator[Reference]:
    """Yield the ClusterQueue that admits a LocalQueue's workloads."""
    to = make_target(f"ClusterQueue.{_QUEUES}", seen, doc.text(seen.obj, "spec", "clusterQueue"))
    yield from make_reference("spec.clusterQueue", to, serves=True)


def _read_monitor(seen: SeenObject) -> Iterator[Reference]:
    """Yield a monitor's conventional references, and its Namespaces; of several, none is required."""
    yield from read_by_convention(seen)
    names = doc.strings(seen.obj, "spec", "namespaceSelector", "matchNames")
    for i, name in enumerate(names):
        for one in make_reference(
            f"spec.namespaceSelector.matchNames[{i}]", make_target("Namespace", seen, name)
        ):
            yield replace(one, required=len(names) == 1)


def _read_virtual_service(seen: SeenObject) -> Iterator[Reference]:
    """Yield the Gateways of a VirtualService, and the Services that its routes send to."""
    for i, name in enumerate(doc.strings(seen.obj, "spec", "gateways")):
        space, slash, rest = name.partition("/")
        if name != "mesh":
            to = make_target(f"Gateway.{MESH}", seen, rest if slash else name, space if slash else "")
            yield from make_reference(f"spec.gateways[{i}]", to)
    for path in ("http", "tcp", "tls"):
        for at, row in walk(seen.obj, f"spec.{path}[].route[].destination"):
            port = doc.scalar(row, "port", "number")
            to = find_mesh_service(doc.text(row, "host"), seen.ref.within)
            yield from make_reference(f"{at}.host", to, serves=True, port=port)


def _read_destination_rule(seen: SeenObject) -> Iterator[Reference]:
    to = find_mesh_service(doc.text(seen.obj, "spec", "host"), seen.ref.within)
    yield from make_reference("spec.host", to, serves=True)


def find_mesh_service(host: str, space: str | None) -> Ref | None:
    """Return the Service that a host names in a mesh: `cart`, or `cart.shop.svc.cluster.local`; None for
    others (istio pkg/config/host, ResolveShortnameToFQDN).
    """
    name, _, rest = host.partition(".")
    within, _, tail = rest.partition(".")
    if name and not rest:
        return Ref("Service", space, name) if "*" not in name else None
    return Ref("Service", within, name) if tail.partition(".")[0] == "svc" and name and within else None


def _read_ingress_route(seen: SeenObject) -> Iterator[Reference]:
    """Yield the Services, the middlewares and the certificate of Traefik's route."""
    for at, row in walk(seen.obj, "spec.routes[].services[]"):
        if doc.text(row, "kind") in ("", "Service"):
            to = make_target("Service", seen, doc.text(row, "name"), doc.text(row, "namespace"))
            yield from make_reference(at, to, serves=True, port=doc.scalar(row, "port"))
    for at, row in walk(seen.obj, "spec.routes[].middlewares[]"):
        # `NAME@PROVIDER` is of another provider than the cluster.
        if "@" not in doc.text(row, "name"):
            to = make_target(
                f"Middleware.{_TRAEFIK}", seen, doc.text(row, "name"), doc.text(row, "namespace")
            )
            yield from make_reference(at, to)
    secret = make_target("Secret", seen, doc.text(seen.obj, "spec", "tls", "secretName"))
    yield from make_reference("spec.tls.secretName", secret)


PROJECT_READERS: Mapping[str, ReferenceReader] = MappingProxyType(
    {
        **dict.fromkeys(ROUTES, _read_route),
        f"Gateway.{GATEWAY}": _read_gateway,
        f"VolumeSnapshot.{SNAPSHOTS}": _read_snapshot,
        f"Certificate.{CERTIFICATES}": _read_certificate,
        f"CertificateRequest.{CERTIFICATES}": _read_certificate,
        "Kustomization.kustomize.toolkit.fluxcd.io": _read_delivered,
        "HelmRelease.helm.toolkit.fluxcd.io": _read_delivered,
        f"HelmChart.{_SOURCES}": _read_delivered,
        "ScaledObject.keda.sh": _read_scaled,
        **dict.fromkeys(
            ("ServiceMonitor.monitoring.coreos.com", "PodMonitor.monitoring.coreos.com"), _read_monitor
        ),
        f"LocalQueue.{_QUEUES}": _read_queue,
        f"VirtualService.{MESH}": _read_virtual_service,
        f"DestinationRule.{MESH}": _read_destination_rule,
        f"IngressRoute.{_TRAEFIK}": _read_ingress_route,
    }
)
