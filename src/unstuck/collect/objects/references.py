"""The typed references of an object of any kind, each with its field.

Sources: the kinds' API types (networking/v1, autoscaling/v2, rbac/v1, admissionregistration/v1,
apiregistration/v1, flowcontrol/v1, core/v1 of Kubernetes 1.34), gateway-api apis/v1, external-snapshotter v1,
cert-manager v1, fluxcd source v1, keda v1alpha1; of a CustomResource that is in no list, see
`conventions.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from unstuck.collect.objects import doc
from unstuck.collect.objects.conventions import read_by_convention, read_order, read_told
from unstuck.collect.objects.generic import SeenObject
from unstuck.collect.objects.kinds import builtin, find_kind
from unstuck.collect.objects.targets import GATEWAY, MOST, SNAPSHOTS, make_reference, make_target, read_target
from unstuck.facts.aspects.references import Reference, References
from unstuck.facts.core import Fact
from unstuck.facts.vocabulary.kinds import ROUTES

_Reader = Callable[[SeenObject], Iterator[Reference]]

_CERTIFICATES = "cert-manager.io"
_QUEUES = "kueue.x-k8s.io"
_SOURCES = "source.toolkit.fluxcd.io"
# The port of a Service that the API server calls by default (admissionregistration/v1, apiregistration/v1).
_TLS = "443"
# AWS' controller has its certificates of ACM, and reads no Secret (aws-load-balancer-controller,
# docs/guide/ingress/cert_discovery.md).
_CERTIFICATES_ELSEWHERE = ("alb",)
_SERVICE_NAME = "kubernetes.io/service-name"
LEADER = "control-plane.alpha.kubernetes.io/leader"
# Metrics of a Pod's own use come from this API alone (pkg/controller/podautoscaler/metrics/client.go).
_METRICS = {
    "Resource": "v1beta1.metrics.k8s.io",
    "ContainerResource": "v1beta1.metrics.k8s.io",
    "External": "v1beta1.external.metrics.k8s.io",
}


def reference_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield the References of an observed object, if it has any; for an unknown type in any case."""
    reader = _READERS.get(seen.ref.kind)
    known = reader is not None or builtin(seen.ref.kind) is not None
    if not seen.observed or (known and reader is None):
        return
    if reader:
        named = (*reader(seen), *(read_told(seen) if "." in seen.ref.kind else ()))
    else:
        named = tuple(read_by_convention(seen))
    found = tuple(dict.fromkeys(named))[:MOST]
    if found or not known:
        quote = "; ".join(f"{r.field}: {r.to}" for r in found)
        yield References(about=seen.ref, src=seen.src(quote), items=found, whole=known)


# --- Kubernetes' own kinds ----------------------------------------------------------------------------------


def _read_ingress(seen: SeenObject) -> Iterator[Reference]:
    class_ = make_target("IngressClass", seen, doc.text(seen.obj, "spec", "ingressClassName"))
    # If it has an address, a controller serves it, even if the class is missing.
    if class_ and not doc.rows(seen.obj, "status", "loadBalancer", "ingress"):
        yield Reference("spec.ingressClassName", class_)
    yield from _read_tls(seen)
    yield from _read_backend("spec.defaultBackend", doc.section(seen.obj, "spec", "defaultBackend"), seen)
    for i, rule in enumerate(doc.rows(seen.obj, "spec", "rules")):
        for j, path in enumerate(doc.rows(rule, "http", "paths")):
            yield from _read_backend(
                f"spec.rules[{i}].http.paths[{j}].backend", doc.section(path, "backend"), seen
            )


def _read_external_name(seen: SeenObject) -> Iterator[Reference]:
    """Yield the Service of this cluster for which an ExternalName stands: NAME.NAMESPACE.svc and longer."""
    name, _, rest = doc.text(seen.obj, "spec", "externalName").partition(".")
    space, _, tail = rest.partition(".")
    if doc.text(seen.obj, "spec", "type") == "ExternalName" and tail.partition(".")[0] == "svc":
        yield from make_reference("spec.externalName", make_target("Service", seen, name, space), serves=True)


def _read_tls(seen: SeenObject) -> Iterator[Reference]:
    """Yield the Secrets with the certificates that a controller serves; if one is missing, the controller
    serves its own, which clients refuse.
    """
    if doc.text(seen.obj, "spec", "ingressClassName") in _CERTIFICATES_ELSEWHERE:
        return
    for i, row in enumerate(doc.rows(seen.obj, "spec", "tls")):
        if to := make_target("Secret", seen, doc.text(row, "secretName")):
            yield Reference(
                f"spec.tls[{i}].secretName", to, hosts=tuple(h.lower() for h in doc.strings(row, "hosts"))
            )


def _read_backend(field: str, row: doc.Doc, seen: SeenObject) -> Iterator[Reference]:
    port = doc.scalar(doc.section(row, "service", "port"), "number") or doc.text(
        row, "service", "port", "name"
    )
    yield from make_reference(
        f"{field}.service.name",
        make_target("Service", seen, doc.text(row, "service", "name")),
        serves=True,
        port=port,
    )
    yield from make_reference(f"{field}.resource", read_target(doc.section(row, "resource"), seen, "", ""))


def _read_autoscaler(seen: SeenObject) -> Iterator[Reference]:
    target = doc.section(seen.obj, "spec", "scaleTargetRef")
    for one in make_reference("spec.scaleTargetRef", read_target(target, seen, "", "")):
        yield replace(one, api=doc.text(target, "apiVersion"))
    for i, metric in enumerate(doc.rows(seen.obj, "spec", "metrics") if _gets_to_metrics(seen) else ()):
        name = _METRICS.get(doc.text(metric, "type"), "")
        yield from make_reference(
            f"spec.metrics[{i}].type", make_target("APIService", seen, name), serves=True
        )


def _gets_to_metrics(seen: SeenObject) -> bool:
    """Tell whether the controller asked for metrics: before that it needs the target's scale and selector,
    and a target with replicas.

    Source: pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler, computeReplicasForMetrics).
    """
    stopped = {
        doc.text(c, "type"): doc.text(c, "reason")
        for c in doc.rows(seen.obj, "status", "conditions")
        if doc.text(c, "status") == "False"
    }
    return "AbleToScale" not in stopped and stopped.get("ScalingActive", "FailedGet").startswith("FailedGet")


def _read_binding(seen: SeenObject) -> Iterator[Reference]:
    yield from make_reference("roleRef", read_target(doc.section(seen.obj, "roleRef"), seen, "", ""))
    # A binding for several accounts works for the others; of users and groups the server keeps no objects.
    subjects = doc.rows(seen.obj, "subjects")
    if len(subjects) == 1 and doc.text(subjects[0], "kind") == "ServiceAccount":
        yield from make_reference("subjects[0]", read_target(subjects[0], seen, "", ""))


def _read_account(seen: SeenObject) -> Iterator[Reference]:
    for i, row in enumerate(doc.rows(seen.obj, "imagePullSecrets")):
        yield from make_reference(
            f"imagePullSecrets[{i}]", make_target("Secret", seen, doc.text(row, "name"))
        )


def _read_slice(seen: SeenObject) -> Iterator[Reference]:
    """Yield the Service whose addresses these are (discovery/v1, LabelServiceName)."""
    name = doc.text(seen.obj, "metadata", "labels", _SERVICE_NAME)
    yield from make_reference(
        f"metadata.labels[{_SERVICE_NAME}]", make_target("Service", seen, name), serves=True
    )


def _read_endpoints(seen: SeenObject) -> Iterator[Reference]:
    """Yield the Service of the same name; Endpoints that hold the lock of a leader have none (client-go
    tools/leaderelection).
    """
    if not doc.text(seen.obj, "metadata", "annotations", LEADER):
        yield from make_reference(
            "metadata.name", make_target("Service", seen, seen.ref.name or ""), serves=True
        )


def _read_attachment(seen: SeenObject) -> Iterator[Reference]:
    yield from make_reference(
        "spec.nodeName", make_target("Node", seen, doc.text(seen.obj, "spec", "nodeName"))
    )
    volume = doc.text(seen.obj, "spec", "source", "persistentVolumeName")
    yield from make_reference(
        "spec.source.persistentVolumeName", make_target("PersistentVolume", seen, volume)
    )


def _read_csi_node(seen: SeenObject) -> Iterator[Reference]:
    yield from make_reference("metadata.name", make_target("Node", seen, seen.ref.name or ""))


def _read_webhooks(seen: SeenObject) -> Iterator[Reference]:
    for i, row in enumerate(doc.rows(seen.obj, "webhooks")):
        service = doc.section(row, "clientConfig", "service")
        to = make_target("Service", seen, doc.text(service, "name"), doc.text(service, "namespace"))
        # A webhook whose failure is ignored blocks nothing.
        if doc.text(row, "failurePolicy") != "Ignore":
            yield from make_reference(
                f"webhooks[{i}].clientConfig.service",
                to,
                serves=True,
                port=doc.scalar(service, "port") or _TLS,
            )


def _read_api_service(seen: SeenObject) -> Iterator[Reference]:
    service = doc.section(seen.obj, "spec", "service")
    to = make_target("Service", seen, doc.text(service, "name"), doc.text(service, "namespace"))
    yield from make_reference("spec.service", to, serves=True, port=doc.scalar(service, "port") or _TLS)


def _read_address(seen: SeenObject) -> Iterator[Reference]:
    """Yield the object that has an address of a Service range, mostly a Service."""
    parent = doc.section(seen.obj, "spec", "parentRef")
    kind = find_kind(".".join(w for w in (doc.text(parent, "resource"), doc.text(parent, "group")) if w))
    to = make_target(
        kind.ref_kind if kind else "", seen, doc.text(parent, "name"), doc.text(parent, "namespace")
    )
    yield from make_reference("spec.parentRef", to)


def _read_flow_schema(seen: SeenObject) -> Iterator[Reference]:
    to = make_target(
        "PriorityLevelConfiguration", seen, doc.text(seen.obj, "spec", "priorityLevelConfiguration", "name")
    )
    yield from make_reference("spec.priorityLevelConfiguration", to)


def _read_policy_binding(seen: SeenObject) -> Iterator[Reference]:
    kind = seen.ref.kind.removesuffix("Binding")
    yield from make_reference(
        "spec.policyName", make_target(kind, seen, doc.text(seen.obj, "spec", "policyName"))
    )


def _make_template_reader(*path: str) -> _Reader:
    """Make the reader of a workload: its Pod template may refer to missing objects before there is any Pod
    to show it.
    """

    def read(seen: SeenObject) -> Iterator[Reference]:
        pod, field = doc.section(seen.obj, *path, "spec"), ".".join((*path, "spec"))
        yield from make_reference(f"{field}.nodeName", make_target("Node", seen, doc.text(pod, "nodeName")))
        yield from make_reference(
            f"{field}.runtimeClassName", make_target("RuntimeClass", seen, doc.text(pod, "runtimeClassName"))
        )

    return read


def _read_claim(seen: SeenObject) -> Iterator[Reference]:
    """Yield the class of the attributes that a claim is to get, and the data source of an unbound one."""
    spec = doc.section(seen.obj, "spec")
    attributes = doc.text(spec, "volumeAttributesClassName")
    if attributes != doc.text(seen.obj, "status", "currentVolumeAttributesClassName"):
        class_ = make_target("VolumeAttributesClass", seen, attributes)
        yield from make_reference("spec.volumeAttributesClassName", class_)
    if doc.text(spec, "volumeName"):
        return
    field = "dataSourceRef" if doc.section(spec, "dataSourceRef") else "dataSource"
    yield from make_reference(f"spec.{field}", read_target(doc.section(spec, field), seen, "", ""))


def _read_device_claim(seen: SeenObject) -> Iterator[Reference]:
    """Yield the classes of the devices that a claim requests, until it has some."""
    if doc.section(seen.obj, "status", "allocation"):
        return
    for i, request in enumerate(doc.rows(seen.obj, "spec", "devices", "requests")):
        field = f"spec.devices.requests[{i}]"
        # v1beta1 has no `exactly`.
        one = (
            (f"{field}.exactly", doc.section(request, "exactly"))
            if "exactly" in request
            else (field, request)
        )
        others = (
            (f"{field}.firstAvailable[{j}]", row) for j, row in enumerate(doc.rows(request, "firstAvailable"))
        )
        for where, row in (one, *others):
            yield from make_reference(
                f"{where}.deviceClassName", make_target("DeviceClass", seen, doc.text(row, "deviceClassName"))
            )


# --- kinds of well-known projects
# ---------------------------------------------------------------------------------------------


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
    yield from make_reference("spec.issuerRef", read_target(issuer, seen, "Issuer", _CERTIFICATES))


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


_POD_MAKERS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")
_READERS: Mapping[str, _Reader] = MappingProxyType(
    {
        "Ingress": _read_ingress,
        "HorizontalPodAutoscaler": _read_autoscaler,
        "Service": _read_external_name,
        "RoleBinding": _read_binding,
        "ClusterRoleBinding": _read_binding,
        "ValidatingWebhookConfiguration": _read_webhooks,
        "MutatingWebhookConfiguration": _read_webhooks,
        "APIService": _read_api_service,
        "FlowSchema": _read_flow_schema,
        "ServiceAccount": _read_account,
        "EndpointSlice": _read_slice,
        "Endpoints": _read_endpoints,
        "VolumeAttachment": _read_attachment,
        "CSINode": _read_csi_node,
        "IPAddress": _read_address,
        **dict.fromkeys(
            ("ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding"), _read_policy_binding
        ),
        "PersistentVolumeClaim": _read_claim,
        "ResourceClaim": _read_device_claim,
        "CronJob": _make_template_reader("spec", "jobTemplate", "spec", "template"),
        **dict.fromkeys(_POD_MAKERS, _make_template_reader("spec", "template")),
        **dict.fromkeys(ROUTES, _read_route),
        f"Gateway.{GATEWAY}": _read_gateway,
        f"VolumeSnapshot.{SNAPSHOTS}": _read_snapshot,
        f"Certificate.{_CERTIFICATES}": _read_certificate,
        f"CertificateRequest.{_CERTIFICATES}": _read_certificate,
        "Kustomization.kustomize.toolkit.fluxcd.io": _read_delivered,
        "HelmRelease.helm.toolkit.fluxcd.io": _read_delivered,
        f"HelmChart.{_SOURCES}": _read_delivered,
        "ScaledObject.keda.sh": _read_scaled,
        **dict.fromkeys(
            ("ServiceMonitor.monitoring.coreos.com", "PodMonitor.monitoring.coreos.com"), _read_monitor
        ),
        f"LocalQueue.{_QUEUES}": _read_queue,
    }
)
