"""What an object of any kind refers to: its typed references, each with its field.

Sources: the kinds' API types (networking/v1, autoscaling/v2, rbac/v1, admissionregistration/v1, apiregistration/v1, flowcontrol/v1, core/v1
of Kubernetes 1.34), gateway-api apis/v1, external-snapshotter v1, cert-manager v1, fluxcd source v1, keda v1alpha1; of a CustomResource
that is in no list, the API conventions' `fooRef` (kubernetes/community, api-conventions.md, "Naming of the reference field").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject
from unstuck.collect.objects.kinds import builtin, find_kind, group_of, ref_kind
from unstuck.collect.objects.spelt_out import find_spelt_out
from unstuck.facts.aspects.references import Reference, References
from unstuck.facts.core import Fact, Ref

_Reader = Callable[[SeenObject], Iterator[Reference]]

_MOST = 20
_DEEPEST = 6
_POINTING = ("name", "namespace", "kind", "apiVersion", "apiGroup", "group", "optional", "uid")
_BESIDE, _SHORT = 3, 64
_GATEWAY = "gateway.networking.k8s.io"
_CERTIFICATES = "cert-manager.io"
_SOURCES = "source.toolkit.fluxcd.io"
_SNAPSHOTS = "snapshot.storage.k8s.io"
# The port of a Service that the API server calls where none is given (admissionregistration/v1, apiregistration/v1).
_TLS = "443"
# AWS' controller has its certificates of ACM, and reads no Secret (aws-load-balancer-controller, docs/guide/ingress/cert_discovery.md).
_CERTIFICATES_ELSEWHERE = ("alb",)
# Kinds without a row among Kubernetes' own that belong to no Namespace.
_OF_THE_CLUSTER = ("DeviceClass", f"GatewayClass.{_GATEWAY}", f"VolumeSnapshotClass.{_SNAPSHOTS}", f"VolumeSnapshotContent.{_SNAPSHOTS}")
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
    """Yield the References of an observed object, if it has any; those of an unknown type in any case."""
    reader = _READERS.get(seen.ref.kind)
    known = reader is not None or builtin(seen.ref.kind) is not None
    if not seen.observed or (known and reader is None):
        return
    found = tuple(dict.fromkeys(reader(seen) if reader else _read_by_convention(seen)))[:_MOST]
    if found or not known:
        quote = "; ".join(f"{r.field}: {r.to}" for r in found)
        yield References(about=seen.ref, src=seen.src(quote), items=found, whole=known)


def _make_ref(kind: str, seen: SeenObject, name: str, within: str = "") -> Ref | None:
    """Return the Ref of a target; None where it is not named. within: its Namespace, "" for that of the referring object."""
    if not name or not kind or kind.startswith("."):
        return None
    own = builtin(kind)
    outside = kind in _OF_THE_CLUSTER or (kind.startswith("Cluster") and own is None) or (own is not None and not own.namespaced)
    return Ref(kind, None if outside else within or seen.ref.within, name)


def _make_reference(field: str, to: Ref | None, *, serves: bool = False, port: str = "") -> Iterator[Reference]:
    if to:
        yield Reference(field, to, serves=serves, port=port)


def _read_target(row: doc.Doc, seen: SeenObject, kind: str, group: str) -> Ref | None:
    """Return the target of a reference. kind, group: the defaults where it names none."""
    told = group_of(doc.text(row, "apiVersion")) or doc.text(row, "group") or doc.text(row, "apiGroup")
    own = doc.text(row, "kind")
    # A group that is given as "" is the core group; where neither is there, the default is meant.
    known = ref_kind(told if told or "group" in row or doc.text(row, "apiVersion") else group, own or kind)
    return _make_ref(known, seen, doc.text(row, "name"), doc.text(row, "namespace"))


# --- Kubernetes' own kinds ----------------------------------------------------------------------------------------------------


def _read_ingress(seen: SeenObject) -> Iterator[Reference]:
    class_ = _make_ref("IngressClass", seen, doc.text(seen.obj, "spec", "ingressClassName"))
    # Where it has an address, a controller serves it, by whichever name.
    if class_ and not doc.rows(seen.obj, "status", "loadBalancer", "ingress"):
        yield Reference("spec.ingressClassName", class_)
    yield from _read_tls(seen)
    yield from _read_backend("spec.defaultBackend", doc.section(seen.obj, "spec", "defaultBackend"), seen)
    for i, rule in enumerate(doc.rows(seen.obj, "spec", "rules")):
        for j, path in enumerate(doc.rows(rule, "http", "paths")):
            yield from _read_backend(f"spec.rules[{i}].http.paths[{j}].backend", doc.section(path, "backend"), seen)


def _read_tls(seen: SeenObject) -> Iterator[Reference]:
    """Yield the Secrets whose certificates a controller shows; without one it mostly shows its own, so that none is required."""
    if doc.text(seen.obj, "spec", "ingressClassName") in _CERTIFICATES_ELSEWHERE:
        return
    for i, row in enumerate(doc.rows(seen.obj, "spec", "tls")):
        if to := _make_ref("Secret", seen, doc.text(row, "secretName")):
            yield Reference(f"spec.tls[{i}].secretName", to, required=False, hosts=tuple(h.lower() for h in doc.strings(row, "hosts")))


def _read_backend(field: str, row: doc.Doc, seen: SeenObject) -> Iterator[Reference]:
    port = doc.scalar(doc.section(row, "service", "port"), "number") or doc.text(row, "service", "port", "name")
    yield from _make_reference(
        f"{field}.service.name", _make_ref("Service", seen, doc.text(row, "service", "name")), serves=True, port=port
    )
    yield from _make_reference(f"{field}.resource", _read_target(doc.section(row, "resource"), seen, "", ""))


def _read_autoscaler(seen: SeenObject) -> Iterator[Reference]:
    yield from _make_reference("spec.scaleTargetRef", _read_target(doc.section(seen.obj, "spec", "scaleTargetRef"), seen, "", ""))
    for i, metric in enumerate(doc.rows(seen.obj, "spec", "metrics")):
        name = _METRICS.get(doc.text(metric, "type"), "")
        yield from _make_reference(f"spec.metrics[{i}].type", _make_ref("APIService", seen, name), serves=True)


def _read_binding(seen: SeenObject) -> Iterator[Reference]:
    yield from _make_reference("roleRef", _read_target(doc.section(seen.obj, "roleRef"), seen, "", ""))


def _read_webhooks(seen: SeenObject) -> Iterator[Reference]:
    for i, row in enumerate(doc.rows(seen.obj, "webhooks")):
        service = doc.section(row, "clientConfig", "service")
        to = _make_ref("Service", seen, doc.text(service, "name"), doc.text(service, "namespace"))
        # A webhook whose failure is ignored blocks nothing.
        if doc.text(row, "failurePolicy") != "Ignore":
            yield from _make_reference(f"webhooks[{i}].clientConfig.service", to, serves=True, port=doc.scalar(service, "port") or _TLS)


def _read_api_service(seen: SeenObject) -> Iterator[Reference]:
    service = doc.section(seen.obj, "spec", "service")
    to = _make_ref("Service", seen, doc.text(service, "name"), doc.text(service, "namespace"))
    yield from _make_reference("spec.service", to, serves=True, port=doc.scalar(service, "port") or _TLS)


def _read_address(seen: SeenObject) -> Iterator[Reference]:
    """Yield the object that has an address of a Service range, mostly a Service."""
    parent = doc.section(seen.obj, "spec", "parentRef")
    kind = find_kind(".".join(w for w in (doc.text(parent, "resource"), doc.text(parent, "group")) if w))
    to = _make_ref(kind.ref_kind if kind else "", seen, doc.text(parent, "name"), doc.text(parent, "namespace"))
    yield from _make_reference("spec.parentRef", to)


def _read_flow_schema(seen: SeenObject) -> Iterator[Reference]:
    to = _make_ref("PriorityLevelConfiguration", seen, doc.text(seen.obj, "spec", "priorityLevelConfiguration", "name"))
    yield from _make_reference("spec.priorityLevelConfiguration", to)


def _read_policy_binding(seen: SeenObject) -> Iterator[Reference]:
    kind = seen.ref.kind.removesuffix("Binding")
    yield from _make_reference("spec.policyName", _make_ref(kind, seen, doc.text(seen.obj, "spec", "policyName")))


def _make_template_reader(*path: str) -> _Reader:
    """Make the reader of a workload: its Pod template may refer to missing objects before there is any Pod to show it."""

    def read(seen: SeenObject) -> Iterator[Reference]:
        pod, field = doc.section(seen.obj, *path, "spec"), ".".join((*path, "spec"))
        yield from _make_reference(f"{field}.nodeName", _make_ref("Node", seen, doc.text(pod, "nodeName")))
        yield from _make_reference(f"{field}.runtimeClassName", _make_ref("RuntimeClass", seen, doc.text(pod, "runtimeClassName")))

    return read


def _read_claim(seen: SeenObject) -> Iterator[Reference]:
    """Yield the data source of an unbound claim."""
    spec = doc.section(seen.obj, "spec")
    if doc.text(spec, "volumeName"):
        return
    field = "dataSourceRef" if doc.section(spec, "dataSourceRef") else "dataSource"
    yield from _make_reference(f"spec.{field}", _read_target(doc.section(spec, field), seen, "", ""))


def _read_device_claim(seen: SeenObject) -> Iterator[Reference]:
    """Yield the classes of the devices that a claim requests, until it has some."""
    if doc.section(seen.obj, "status", "allocation"):
        return
    for i, request in enumerate(doc.rows(seen.obj, "spec", "devices", "requests")):
        field = f"spec.devices.requests[{i}]"
        # v1beta1 has no `exactly`.
        one = (f"{field}.exactly", doc.section(request, "exactly")) if "exactly" in request else (field, request)
        others = ((f"{field}.firstAvailable[{j}]", row) for j, row in enumerate(doc.rows(request, "firstAvailable")))
        for where, row in (one, *others):
            yield from _make_reference(f"{where}.deviceClassName", _make_ref("DeviceClass", seen, doc.text(row, "deviceClassName")))


# --- kinds of well-known projects ---------------------------------------------------------------------------------------------


def _read_route(seen: SeenObject) -> Iterator[Reference]:
    for i, parent in enumerate(doc.rows(seen.obj, "spec", "parentRefs")):
        yield from _make_reference(f"spec.parentRefs[{i}]", _read_target(parent, seen, "Gateway", _GATEWAY), serves=True)
    for i, rule in enumerate(doc.rows(seen.obj, "spec", "rules")):
        for j, row in enumerate(doc.rows(rule, "backendRefs")):
            to = _read_target(row, seen, "Service", "")
            yield from _make_reference(f"spec.rules[{i}].backendRefs[{j}]", to, serves=True, port=doc.scalar(row, "port"))


def _read_gateway(seen: SeenObject) -> Iterator[Reference]:
    yield from _make_reference(
        "spec.gatewayClassName", _make_ref(f"GatewayClass.{_GATEWAY}", seen, doc.text(seen.obj, "spec", "gatewayClassName"))
    )
    for i, listener in enumerate(doc.rows(seen.obj, "spec", "listeners")):
        host, certificates = doc.text(listener, "hostname").lower(), doc.rows(listener, "tls", "certificateRefs")
        # Of several the controller chooses by the name that a client asks for.
        hosts = (host,) if host and len(certificates) == 1 else ()
        for j, row in enumerate(certificates):
            for one in _make_reference(f"spec.listeners[{i}].tls.certificateRefs[{j}]", _read_target(row, seen, "Secret", "")):
                yield replace(one, hosts=hosts) if one.to.kind == "Secret" else one


def _read_snapshot(seen: SeenObject) -> Iterator[Reference]:
    spec = doc.section(seen.obj, "spec")
    # Once it is bound it needs its source no more.
    if not doc.text(seen.obj, "status", "boundVolumeSnapshotContentName"):
        claim = doc.text(spec, "source", "persistentVolumeClaimName")
        yield from _make_reference("spec.source.persistentVolumeClaimName", _make_ref("PersistentVolumeClaim", seen, claim))
        kind = f"VolumeSnapshotClass.{_SNAPSHOTS}"
        yield from _make_reference("spec.volumeSnapshotClassName", _make_ref(kind, seen, doc.text(spec, "volumeSnapshotClassName")))


def _read_certificate(seen: SeenObject) -> Iterator[Reference]:
    issuer = doc.section(seen.obj, "spec", "issuerRef")
    yield from _make_reference("spec.issuerRef", _read_target(issuer, seen, "Issuer", _CERTIFICATES))


def _read_delivered(seen: SeenObject) -> Iterator[Reference]:
    yield from _read_order(seen)
    for path in (("spec", "sourceRef"), ("spec", "chart", "spec", "sourceRef")):
        yield from _make_reference(".".join(path), _read_target(doc.section(seen.obj, *path), seen, "", _SOURCES))


def _read_order(seen: SeenObject) -> Iterator[Reference]:
    """Yield the objects of its own kind that an object waits for by `spec.dependsOn`: their readiness is asked before it is worked on."""
    for i, row in enumerate(doc.rows(seen.obj, "spec", "dependsOn")[:_MOST]):
        to = (
            _read_target(row, seen, "", "")
            if doc.text(row, "kind")
            else _make_ref(seen.ref.kind, seen, doc.text(row, "name"), doc.text(row, "namespace"))
        )
        if to:
            yield Reference(f"spec.dependsOn[{i}]", to, required=False)


def _read_scaled(seen: SeenObject) -> Iterator[Reference]:
    yield from _make_reference(
        "spec.scaleTargetRef", _read_target(doc.section(seen.obj, "spec", "scaleTargetRef"), seen, "Deployment", "apps")
    )


def _read_by_convention(seen: SeenObject) -> Iterator[Reference]:
    """Yield the `fooRef` targets in the spec of a CustomResource of an unknown type; nothing says whether they are required."""
    yield from _read_order(seen)
    yield from (replace(r, required=False) for r in _find_refs(seen.obj.get("spec"), "spec", seen, 0))
    yield from _find_by_words(seen)


def _find_by_words(seen: SeenObject) -> Iterator[Reference]:
    for field, kind, name in find_spelt_out(seen.obj):
        yield from (replace(r, required=False) for r in _make_reference(field, _make_ref(kind, seen, name)))


def _find_refs(value: object, field: str, seen: SeenObject, depth: int) -> Iterator[Reference]:
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                continue
            # `writeConnectionSecretToRef` and the like name what it makes.
            if isinstance(inner, Mapping) and key.endswith("Ref") and not key.startswith("write"):
                to, beside = _read_pointed(key, inner, seen), tuple(_read_beside(inner))
                yield from (replace(r, beside=beside) for r in _make_reference(f"{field}.{key}", to))
            else:
                yield from _find_refs(inner, f"{field}.{key}", seen, depth + 1)
    elif isinstance(value, list):
        for i, inner in enumerate(value[:_MOST]):
            yield from _find_refs(inner, f"{field}[{i}]", seen, depth + 1)


def _read_beside(row: doc.Doc) -> Iterator[tuple[str, str]]:
    """Yield the numbers and words beside the name of an object, which say what of it is meant."""
    for key in [k for k in row if isinstance(k, str) and k not in _POINTING][:_BESIDE]:
        if (value := doc.scalar(row, key)) and len(value) <= _SHORT:
            yield key, value


def _read_pointed(key: str, row: doc.Doc, seen: SeenObject) -> Ref | None:
    if doc.flag(row, "optional"):
        return None
    if by_field := _BY_FIELD.get(key):
        return _make_ref(by_field, seen, doc.text(row, "name"), doc.text(row, "namespace"))
    grouped = any(doc.text(row, word) for word in ("apiVersion", "group", "apiGroup"))
    return _read_target(row, seen, "", "") if grouped and doc.text(row, "kind") else None


_POD_MAKERS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")
_READERS: Mapping[str, _Reader] = MappingProxyType(
    {
        "Ingress": _read_ingress,
        "HorizontalPodAutoscaler": _read_autoscaler,
        "RoleBinding": _read_binding,
        "ClusterRoleBinding": _read_binding,
        "ValidatingWebhookConfiguration": _read_webhooks,
        "MutatingWebhookConfiguration": _read_webhooks,
        "APIService": _read_api_service,
        "FlowSchema": _read_flow_schema,
        "IPAddress": _read_address,
        **dict.fromkeys(("ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding"), _read_policy_binding),
        "PersistentVolumeClaim": _read_claim,
        "ResourceClaim": _read_device_claim,
        "CronJob": _make_template_reader("spec", "jobTemplate", "spec", "template"),
        **dict.fromkeys(_POD_MAKERS, _make_template_reader("spec", "template")),
        **dict.fromkeys((f"{kind}.{_GATEWAY}" for kind in ("HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute")), _read_route),
        f"Gateway.{_GATEWAY}": _read_gateway,
        f"VolumeSnapshot.{_SNAPSHOTS}": _read_snapshot,
        f"Certificate.{_CERTIFICATES}": _read_certificate,
        f"CertificateRequest.{_CERTIFICATES}": _read_certificate,
        "Kustomization.kustomize.toolkit.fluxcd.io": _read_delivered,
        "HelmRelease.helm.toolkit.fluxcd.io": _read_delivered,
        f"HelmChart.{_SOURCES}": _read_delivered,
        "ScaledObject.keda.sh": _read_scaled,
    }
)
