"""The typed references of an object of any kind, each with its field.

Sources: the kinds' API types (networking/v1, autoscaling/v2, rbac/v1, admissionregistration/v1,
apiregistration/v1, flowcontrol/v1, core/v1 of Kubernetes 1.34), cert-manager's annotations of an Ingress; of
other projects, see `project_references.py`, and of a CustomResource that is in no list, `conventions.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from unstuck.collect.objects import doc
from unstuck.collect.objects.conventions import read_by_convention, read_told
from unstuck.collect.objects.generic import SeenObject
from unstuck.collect.objects.kinds import builtin, find_kind
from unstuck.collect.objects.project_references import CERTIFICATES, PROJECT_READERS, ReferenceReader
from unstuck.collect.objects.targets import MOST, make_reference, make_target, read_target
from unstuck.facts.aspects.references import Reference, References
from unstuck.facts.core import Fact

_ISSUERS = (("issuer", "Issuer"), ("cluster-issuer", "ClusterIssuer"))
# The port of a Service that the API server calls by default (admissionregistration/v1, apiregistration/v1).
_TLS = "443"
# AWS' controller has its certificates of ACM, and reads no Secret (aws-load-balancer-controller,
# docs/guide/ingress/cert_discovery.md).
_CERTIFICATES_ELSEWHERE = ("alb",)
SERVICE_NAME = "kubernetes.io/service-name"
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


def _read_ingress(seen: SeenObject) -> Iterator[Reference]:
    class_ = make_target("IngressClass", seen, doc.text(seen.obj, "spec", "ingressClassName"))
    # If it has an address, a controller serves it, even if the class is missing.
    if class_ and not doc.rows(seen.obj, "status", "loadBalancer", "ingress"):
        yield Reference("spec.ingressClassName", class_)
    yield from _read_issuer(seen)
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


def _read_issuer(seen: SeenObject) -> Iterator[Reference]:
    """Yield the issuer in cert-manager's annotations, which makes the Secrets of an Ingress."""
    for key, kind in _ISSUERS:
        name = doc.text(seen.obj, "metadata", "annotations", f"{CERTIFICATES}/{key}")
        # Another issuer-kind is an external issuer's.
        if not doc.text(seen.obj, "metadata", "annotations", f"{CERTIFICATES}/issuer-kind"):
            to = make_target(f"{kind}.{CERTIFICATES}", seen, name)
            yield from make_reference(f"metadata.annotations[{CERTIFICATES}/{key}]", to)


def _read_ingress_class(seen: SeenObject) -> Iterator[Reference]:
    parameters = doc.section(seen.obj, "spec", "parameters")
    yield from make_reference("spec.parameters", read_target(parameters, seen, "", ""))


def _read_conversion(seen: SeenObject) -> Iterator[Reference]:
    """Yield the Service of a conversion webhook, without which other versions cannot be read."""
    path = ("spec", "conversion", "webhook", "clientConfig", "service")
    if doc.text(seen.obj, "spec", "conversion", "strategy") == "Webhook":
        yield from _read_called_service(".".join(path), doc.section(seen.obj, *path), seen)


def _read_called_service(field: str, service: doc.Doc, seen: SeenObject) -> Iterator[Reference]:
    """Yield a Service that the API server calls."""
    to = make_target("Service", seen, doc.text(service, "name"), doc.text(service, "namespace"))
    yield from make_reference(field, to, serves=True, port=doc.scalar(service, "port") or _TLS)


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
    name = doc.text(seen.obj, "metadata", "labels", SERVICE_NAME)
    yield from make_reference(
        f"metadata.labels[{SERVICE_NAME}]", make_target("Service", seen, name), serves=True
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
        for one in _read_called_service(f"webhooks[{i}].clientConfig.service", service, seen):
            # A webhook whose failure is ignored blocks nothing: it is not called, and nobody is told.
            yield one if doc.text(row, "failurePolicy") != "Ignore" else replace(one, serves=False)


def _read_api_service(seen: SeenObject) -> Iterator[Reference]:
    yield from _read_called_service("spec.service", doc.section(seen.obj, "spec", "service"), seen)


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


def _make_template_reader(*path: str) -> ReferenceReader:
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


_POD_MAKERS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")
_READERS: Mapping[str, ReferenceReader] = MappingProxyType(
    {
        "Ingress": _read_ingress,
        "IngressClass": _read_ingress_class,
        "CustomResourceDefinition": _read_conversion,
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
        **PROJECT_READERS,
    }
)
