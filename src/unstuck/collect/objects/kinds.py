"""Kubernetes' own kinds: their paths, plurals and short names, and how a kind is named in a Ref.

Sources: the API reference of 1.34 and `kubectl api-resources` (shortNames are declared by the server in
pkg/registry/*/storage, `ShortNames()`); kinds not listed here are found through discovery.
"""

from __future__ import annotations

from unstuck.collect.objects import doc
from unstuck.collect.objects.segments import escape_segment
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record


@record()
class Kind(Record):
    """One resource type. group: "" for the core group. plural: its name in paths. short: other names for the
    command line.

    status: it has a status subresource, written by a controller; known for types that the server was asked
    about.
    """

    name: str
    group: str
    version: str
    plural: str
    namespaced: bool = True
    short: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ("get", "list")
    status: bool = False

    @property
    def ref_kind(self) -> str:
        """How a Ref names it: `Pod`, `Widget.example.com`."""
        return ref_kind(self.group, self.name)

    @property
    def base(self) -> str:
        """`/api/v1` or `/apis/GROUP/VERSION`."""
        version = escape_segment(self.version)
        return f"/apis/{escape_segment(self.group)}/{version}" if self.group else f"/api/{version}"

    def path(self, namespace: str | None = None, name: str | None = None) -> str:
        """Return the API path of one object, or of a list if no name is given."""
        within = f"/namespaces/{escape_segment(namespace)}" if self.namespaced and namespace else ""
        return f"{self.base}{within}/{escape_segment(self.plural)}" + (
            f"/{escape_segment(name)}" if name else ""
        )

    def ref(self, namespace: str | None, name: str, uid: str | None = None) -> Ref:
        """Return a Ref to one object of this kind."""
        return Ref(self.ref_kind, namespace if self.namespaced else None, name, uid)


BUILTIN: tuple[Kind, ...] = (
    Kind("Pod", "", "v1", "pods", short=("po",)),
    Kind("Node", "", "v1", "nodes", False, ("no",)),
    Kind("Namespace", "", "v1", "namespaces", False, ("ns",)),
    Kind("PersistentVolumeClaim", "", "v1", "persistentvolumeclaims", short=("pvc",)),
    Kind("PersistentVolume", "", "v1", "persistentvolumes", False, ("pv",)),
    Kind("ConfigMap", "", "v1", "configmaps", short=("cm",)),
    Kind("Secret", "", "v1", "secrets"),
    Kind("Service", "", "v1", "services", short=("svc",)),
    Kind("ServiceAccount", "", "v1", "serviceaccounts", short=("sa",)),
    Kind("Endpoints", "", "v1", "endpoints", short=("ep",)),
    Kind("Event", "", "v1", "events", short=("ev",)),
    Kind("ReplicationController", "", "v1", "replicationcontrollers", short=("rc",)),
    Kind("ResourceQuota", "", "v1", "resourcequotas", short=("quota",)),
    Kind("LimitRange", "", "v1", "limitranges", short=("limits",)),
    Kind("PodTemplate", "", "v1", "podtemplates"),
    Kind("Deployment", "apps", "v1", "deployments", short=("deploy",)),
    Kind("ReplicaSet", "apps", "v1", "replicasets", short=("rs",)),
    Kind("StatefulSet", "apps", "v1", "statefulsets", short=("sts",)),
    Kind("DaemonSet", "apps", "v1", "daemonsets", short=("ds",)),
    Kind("ControllerRevision", "apps", "v1", "controllerrevisions"),
    Kind("Job", "batch", "v1", "jobs"),
    Kind("CronJob", "batch", "v1", "cronjobs", short=("cj",)),
    Kind("HorizontalPodAutoscaler", "autoscaling", "v2", "horizontalpodautoscalers", short=("hpa",)),
    Kind("PodDisruptionBudget", "policy", "v1", "poddisruptionbudgets", short=("pdb",)),
    Kind("StorageClass", "storage.k8s.io", "v1", "storageclasses", False, ("sc",)),
    Kind("VolumeAttachment", "storage.k8s.io", "v1", "volumeattachments", False),
    Kind("CSINode", "storage.k8s.io", "v1", "csinodes", False),
    Kind("CSIDriver", "storage.k8s.io", "v1", "csidrivers", False),
    Kind("Lease", "coordination.k8s.io", "v1", "leases"),
    Kind("EndpointSlice", "discovery.k8s.io", "v1", "endpointslices"),
    Kind("Ingress", "networking.k8s.io", "v1", "ingresses", short=("ing",)),
    Kind("IngressClass", "networking.k8s.io", "v1", "ingressclasses", False),
    Kind("NetworkPolicy", "networking.k8s.io", "v1", "networkpolicies", short=("netpol",)),
    Kind("Role", "rbac.authorization.k8s.io", "v1", "roles"),
    Kind("RoleBinding", "rbac.authorization.k8s.io", "v1", "rolebindings"),
    Kind("ClusterRole", "rbac.authorization.k8s.io", "v1", "clusterroles", False),
    Kind("ClusterRoleBinding", "rbac.authorization.k8s.io", "v1", "clusterrolebindings", False),
    Kind("PriorityClass", "scheduling.k8s.io", "v1", "priorityclasses", False, ("pc",)),
    Kind("RuntimeClass", "node.k8s.io", "v1", "runtimeclasses", False),
    Kind("APIService", "apiregistration.k8s.io", "v1", "apiservices", False),
    Kind(
        "CustomResourceDefinition",
        "apiextensions.k8s.io",
        "v1",
        "customresourcedefinitions",
        False,
        ("crd", "crds"),
    ),
    Kind(
        "ValidatingWebhookConfiguration",
        "admissionregistration.k8s.io",
        "v1",
        "validatingwebhookconfigurations",
        False,
    ),
    Kind(
        "MutatingWebhookConfiguration",
        "admissionregistration.k8s.io",
        "v1",
        "mutatingwebhookconfigurations",
        False,
    ),
    Kind(
        "CertificateSigningRequest",
        "certificates.k8s.io",
        "v1",
        "certificatesigningrequests",
        False,
        ("csr",),
    ),
)

# Kubernetes' own too, in versions that differ between its releases: the server is asked which it has.
BY_DISCOVERY = frozenset(
    {
        *(
            "PriorityLevelConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "ServiceCIDR",
            "IPAddress",
        ),
        *("ResourceClaim", "DeviceClass", "VolumeAttributesClass"),
    }
)

# Groups that the API server itself serves; a CRD may live under *.k8s.io too, so a suffix would not do.
OWN_GROUPS = frozenset(
    {k.group for k in BUILTIN}
    | {
        "extensions",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "events.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "internal.apiserver.k8s.io",
        "resource.k8s.io",
        "storagemigration.k8s.io",
    }
)

_BY_KIND = {k.name: k for k in BUILTIN}
_BY_WORD = {word: k for k in BUILTIN for word in (k.name.lower(), k.plural, *k.short)}


def builtin(kind: str) -> Kind | None:
    """Return Kubernetes' own kind with exactly this name (`Pod`)."""
    return _BY_KIND.get(kind)


def find_kind(word: str) -> Kind | None:
    """Return the built-in kind for a typed word: `po`, `pods`, `Pod`, `deployments.apps`,
    `deployments.v1.apps`.
    """
    low = word.strip().lower()
    name, _, group = low.partition(".")
    found = _BY_WORD.get(name)
    if found is None or not group:
        return found
    return found if group in (found.group, f"{found.version}.{found.group}", found.version) else None


def typed_words() -> tuple[str, ...]:
    """Return all words for built-in kinds, for suggestions."""
    return tuple(_BY_WORD)


def ref_kind(group: str, kind: str) -> str:
    """Return the kind as a Ref has it: `Deployment` for Kubernetes' own groups, `Widget.example.com` for
    all others.
    """
    return kind if group in OWN_GROUPS else f"{kind}.{group}"


def group_of(api_version: str) -> str:
    """Return the group of an API version: `apps/v1` → `apps`, `v1` → "" (the core group)."""
    group, slash, _ = api_version.partition("/")
    return group if slash else ""


def ref_of(obj: doc.Doc) -> Ref | None:
    """Return the object's Ref; None if it has no kind or neither name nor uid."""
    kind, name, uid = (
        doc.text(obj, "kind"),
        doc.text(obj, "metadata", "name") or None,
        doc.text(obj, "metadata", "uid") or None,
    )
    if not kind or not (name or uid):
        return None
    known = ref_kind(group_of(doc.text(obj, "apiVersion")), kind)
    own = builtin(known)
    namespace = doc.text(obj, "metadata", "namespace") or None
    return Ref(known, None if own and not own.namespaced else namespace, name, uid)


def target_of(row: doc.Doc, namespace: str | None) -> Ref | None:
    """Return the Ref of an object reference (`involvedObject`, `ownerReferences`). namespace: of the
    referring object.
    """
    kind, name, uid = doc.text(row, "kind"), doc.text(row, "name") or None, doc.text(row, "uid") or None
    if not kind or not (name or uid):
        return None
    known = ref_kind(group_of(doc.text(row, "apiVersion")), kind)
    own = builtin(known)
    return Ref(known, None if own and not own.namespaced else namespace, name, uid)
