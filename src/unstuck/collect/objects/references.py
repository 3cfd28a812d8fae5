"""What an object of any kind refers to: its typed references, each with its field.

Sources: the kinds' API types (networking/v1, autoscaling/v2, rbac/v1, admissionregistration/v1, apiregistration/v1, flowcontrol/v1, core/v1
of Kubernetes 1.34), gateway-api apis/v1, external-snapshotter v1, cert-manager v1, fluxcd source v1, keda v1alpha1; of a CustomResource
that is in no list, the API conventions' `fooRef` (kubernetes/community, api-conventions.md, "Naming of the reference field").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject
from unstuck.collect.objects.kinds import builtin, group_of, ref_kind
from unstuck.facts.aspects.references import Reference, References
from unstuck.facts.core import Fact, Ref

_Reader = Callable[[SeenObject], Iterator[Reference]]

_MOST = 20
_DEEPEST = 6
_GATEWAY = "gateway.networking.k8s.io"
_CERTIFICATES = "cert-manager.io"
_SOURCES = "source.toolkit.fluxcd.io"
_SNAPSHOTS = "snapshot.storage.k8s.io"
# The port of a Service that the API server calls where none is given (admissionregistration/v1, apiregistration/v1).
_TLS = "443"
# Kinds that are not Kubernetes' own and that belong to no Namespace.
_OF_THE_CLUSTER = (f"GatewayClass.{_GATEWAY}", f"VolumeSnapshotClass.{_SNAPSHOTS}", f"VolumeSnapshotContent.{_SNAPSHOTS}")
# Metrics of a Pod's own use come from this API alone (pkg/controller/podautoscaler/metrics/client.go).
_METRICS = {
    "Resource": "v1beta1.metrics.k8s.io",
    "ContainerResource": "v1beta1.metrics.k8s.io",
    "External": "v1beta1.external.metrics.k8s.io",
}
# By the field's own name, where it tells no kind.
_BY_FIELD = {
    "secretRef": "Secret",
    "secretKeyRef": "Secret",
    "configMapRef": "ConfigMap",
    "configMapKeyRef": "ConfigMap",
    "serviceAccountRef": "ServiceAccount",
    "serviceRef": "Service",
}


def reference_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield References of what a server filled in, where it refers to anything, and of a type that is not known here in any case."""
    reader = _READERS.get(seen.ref.kind)
    known = reader is not None or builtin(seen.ref.kind) is not None
    if not seen.observed or (known and reader is None):
        return
    found = tuple(dict.fromkeys(reader(seen) if reader else _by_convention(seen)))[:_MOST]
    if found or not known:
        quote = "; ".join(f"{r.field}: {r.to}" for r in found)
        yield References(about=seen.ref, src=seen.src(quote), items=found, whole=known)


def _to(kind: str, seen: SeenObject, name: str, within: str = "") -> Ref | None:
    """Return the Ref of a target; None where it is not named. within: its own Namespace, "" for that of the object that refers to it."""
    if not name or not kind or kind.startswith("."):
        return None
    own = builtin(kind)
    outside = kind in _OF_THE_CLUSTER or (kind.startswith("Cluster") and own is None) or (own is not None and not own.namespaced)
    return Ref(kind, None if outside else within or seen.ref.within, name)


def _named(field: str, to: Ref | None, *, serves: bool = False, port: str = "") -> Iterator[Reference]:
    if to:
        yield Reference(field, to, serves=serves, port=port)


def _typed(row: doc.Doc, seen: SeenObject, kind: str, group: str) -> Ref | None:
    """Return the target of a reference that may tell its kind and group, these where it does not."""
    told = group_of(doc.text(row, "apiVersion")) or doc.text(row, "group") or doc.text(row, "apiGroup")
    own = doc.text(row, "kind")
    # A group that is given as "" is the core group; where neither is there, the default is meant.
    known = ref_kind(told if told or "group" in row or doc.text(row, "apiVersion") else group, own or kind)
    return _to(known, seen, doc.text(row, "name"), doc.text(row, "namespace"))


# --- Kubernetes' own kinds ----------------------------------------------------------------------------------------------------


def _ingress(seen: SeenObject) -> Iterator[Reference]:
    class_ = _to("IngressClass", seen, doc.text(seen.obj, "spec", "ingressClassName"))
    # Where it has an address, a controller serves it, by whichever name.
    if class_ and not doc.rows(seen.obj, "status", "loadBalancer", "ingress"):
        yield Reference("spec.ingressClassName", class_)
    yield from _backend("spec.defaultBackend", doc.section(seen.obj, "spec", "defaultBackend"), seen)
    for i, rule in enumerate(doc.rows(seen.obj, "spec", "rules")):
        for j, path in enumerate(doc.rows(rule, "http", "paths")):
            yield from _backend(f"spec.rules[{i}].http.paths[{j}].backend", doc.section(path, "backend"), seen)


def _backend(field: str, row: doc.Doc, seen: SeenObject) -> Iterator[Reference]:
    port = doc.scalar(doc.section(row, "service", "port"), "number") or doc.text(row, "service", "port", "name")
    yield from _named(f"{field}.service.name", _to("Service", seen, doc.text(row, "service", "name")), serves=True, port=port)
    yield from _named(f"{field}.resource", _typed(doc.section(row, "resource"), seen, "", ""))


def _autoscaler(seen: SeenObject) -> Iterator[Reference]:
    yield from _named("spec.scaleTargetRef", _typed(doc.section(seen.obj, "spec", "scaleTargetRef"), seen, "", ""))
    for i, metric in enumerate(doc.rows(seen.obj, "spec", "metrics")):
        name = _METRICS.get(doc.text(metric, "type"), "")
        yield from _named(f"spec.metrics[{i}].type", _to("APIService", seen, name), serves=True)


def _binding(seen: SeenObject) -> Iterator[Reference]:
    yield from _named("roleRef", _typed(doc.section(seen.obj, "roleRef"), seen, "", ""))


def _webhooks(seen: SeenObject) -> Iterator[Reference]:
    for i, row in enumerate(doc.rows(seen.obj, "webhooks")):
        service = doc.section(row, "clientConfig", "service")
        to = _to("Service", seen, doc.text(service, "name"), doc.text(service, "namespace"))
        # One that is ignored where it fails keeps nothing from going on.
        if doc.text(row, "failurePolicy") != "Ignore":
            yield from _named(f"webhooks[{i}].clientConfig.service", to, serves=True, port=doc.scalar(service, "port") or _TLS)


def _api_service(seen: SeenObject) -> Iterator[Reference]:
    service = doc.section(seen.obj, "spec", "service")
    to = _to("Service", seen, doc.text(service, "name"), doc.text(service, "namespace"))
    yield from _named("spec.service", to, serves=True, port=doc.scalar(service, "port") or _TLS)


def _flow_schema(seen: SeenObject) -> Iterator[Reference]:
    to = _to("PriorityLevelConfiguration", seen, doc.text(seen.obj, "spec", "priorityLevelConfiguration", "name"))
    yield from _named("spec.priorityLevelConfiguration", to)


def _policy_binding(seen: SeenObject) -> Iterator[Reference]:
    kind = seen.ref.kind.removesuffix("Binding")
    yield from _named("spec.policyName", _to(kind, seen, doc.text(seen.obj, "spec", "policyName")))


def _template(*path: str) -> _Reader:
    """Return the reader of a workload: what of its Pods' template is wrong before there is a Pod that could tell it."""

    def read(seen: SeenObject) -> Iterator[Reference]:
        pod, field = doc.section(seen.obj, *path, "spec"), ".".join((*path, "spec"))
        yield from _named(f"{field}.nodeName", _to("Node", seen, doc.text(pod, "nodeName")))
        yield from _named(f"{field}.runtimeClassName", _to("RuntimeClass", seen, doc.text(pod, "runtimeClassName")))

    return read


def _claim(seen: SeenObject) -> Iterator[Reference]:
    """Yield what an unbound claim is to be filled from."""
    spec = doc.section(seen.obj, "spec")
    if doc.text(spec, "volumeName"):
        return
    field = "dataSourceRef" if doc.section(spec, "dataSourceRef") else "dataSource"
    yield from _named(f"spec.{field}", _typed(doc.section(spec, field), seen, "", ""))


# --- kinds of well-known projects ---------------------------------------------------------------------------------------------


def _route(seen: SeenObject) -> Iterator[Reference]:
    for i, parent in enumerate(doc.rows(seen.obj, "spec", "parentRefs")):
        yield from _named(f"spec.parentRefs[{i}]", _typed(parent, seen, "Gateway", _GATEWAY), serves=True)
    for i, rule in enumerate(doc.rows(seen.obj, "spec", "rules")):
        for j, row in enumerate(doc.rows(rule, "backendRefs")):
            to = _typed(row, seen, "Service", "")
            yield from _named(f"spec.rules[{i}].backendRefs[{j}]", to, serves=True, port=doc.scalar(row, "port"))


def _gateway(seen: SeenObject) -> Iterator[Reference]:
    yield from _named("spec.gatewayClassName", _to(f"GatewayClass.{_GATEWAY}", seen, doc.text(seen.obj, "spec", "gatewayClassName")))
    for i, listener in enumerate(doc.rows(seen.obj, "spec", "listeners")):
        for j, row in enumerate(doc.rows(listener, "tls", "certificateRefs")):
            yield from _named(f"spec.listeners[{i}].tls.certificateRefs[{j}]", _typed(row, seen, "Secret", ""))


def _snapshot(seen: SeenObject) -> Iterator[Reference]:
    spec = doc.section(seen.obj, "spec")
    # Once it is bound it needs its source no more.
    if not doc.text(seen.obj, "status", "boundVolumeSnapshotContentName"):
        claim = doc.text(spec, "source", "persistentVolumeClaimName")
        yield from _named("spec.source.persistentVolumeClaimName", _to("PersistentVolumeClaim", seen, claim))
        kind = f"VolumeSnapshotClass.{_SNAPSHOTS}"
        yield from _named("spec.volumeSnapshotClassName", _to(kind, seen, doc.text(spec, "volumeSnapshotClassName")))


def _certificate(seen: SeenObject) -> Iterator[Reference]:
    issuer = doc.section(seen.obj, "spec", "issuerRef")
    yield from _named("spec.issuerRef", _typed(issuer, seen, "Issuer", _CERTIFICATES))


def _delivered(seen: SeenObject) -> Iterator[Reference]:
    for path in (("spec", "sourceRef"), ("spec", "chart", "spec", "sourceRef")):
        yield from _named(".".join(path), _typed(doc.section(seen.obj, *path), seen, "", _SOURCES))


def _scaled(seen: SeenObject) -> Iterator[Reference]:
    yield from _named("spec.scaleTargetRef", _typed(doc.section(seen.obj, "spec", "scaleTargetRef"), seen, "Deployment", "apps"))


def _by_convention(seen: SeenObject) -> Iterator[Reference]:
    """Yield the `fooRef` targets in the spec of a CustomResource of an unknown type; nothing says whether they are required."""
    yield from (Reference(r.field, r.to, required=False) for r in _refs_in(seen.obj.get("spec"), "spec", seen, 0))


def _refs_in(value: object, field: str, seen: SeenObject, depth: int) -> Iterator[Reference]:
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                continue
            # `writeConnectionSecretToRef` and the like name what it makes.
            if isinstance(inner, Mapping) and key.endswith("Ref") and not key.startswith("write"):
                yield from _named(f"{field}.{key}", _pointed(key, inner, seen))
            else:
                yield from _refs_in(inner, f"{field}.{key}", seen, depth + 1)
    elif isinstance(value, list):
        for i, inner in enumerate(value[:_MOST]):
            yield from _refs_in(inner, f"{field}[{i}]", seen, depth + 1)


def _pointed(key: str, row: doc.Doc, seen: SeenObject) -> Ref | None:
    if doc.flag(row, "optional"):
        return None
    if by_field := _BY_FIELD.get(key):
        return _to(by_field, seen, doc.text(row, "name"), doc.text(row, "namespace"))
    grouped = any(doc.text(row, word) for word in ("apiVersion", "group", "apiGroup"))
    return _typed(row, seen, "", "") if grouped and doc.text(row, "kind") else None


_POD_MAKERS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")
_READERS: Mapping[str, _Reader] = MappingProxyType(
    {
        "Ingress": _ingress,
        "HorizontalPodAutoscaler": _autoscaler,
        "RoleBinding": _binding,
        "ClusterRoleBinding": _binding,
        "ValidatingWebhookConfiguration": _webhooks,
        "MutatingWebhookConfiguration": _webhooks,
        "APIService": _api_service,
        "FlowSchema": _flow_schema,
        **dict.fromkeys(("ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding"), _policy_binding),
        "PersistentVolumeClaim": _claim,
        "CronJob": _template("spec", "jobTemplate", "spec", "template"),
        **dict.fromkeys(_POD_MAKERS, _template("spec", "template")),
        **dict.fromkeys((f"{kind}.{_GATEWAY}" for kind in ("HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute")), _route),
        f"Gateway.{_GATEWAY}": _gateway,
        f"VolumeSnapshot.{_SNAPSHOTS}": _snapshot,
        f"Certificate.{_CERTIFICATES}": _certificate,
        f"CertificateRequest.{_CERTIFICATES}": _certificate,
        "Kustomization.kustomize.toolkit.fluxcd.io": _delivered,
        "HelmRelease.helm.toolkit.fluxcd.io": _delivered,
        f"HelmChart.{_SOURCES}": _delivered,
        "ScaledObject.keda.sh": _scaled,
    }
)
