"""The names that the API server accepts for an object, by its kind, with the source of each validation.

Every name has to be a segment of a path (apiserver pkg/registry/rest/create.go, BeforeCreate); most kinds are
stricter. Most references to other objects are not checked at all: `imagePullSecrets[].name`,
`volumes[].secret.secretName` and a claim's `volumeName` accept any string
(pkg/apis/core/validation/validation.go). Every row was tested against the lab's API server
(tests/e2e/test_names.py).
"""

from __future__ import annotations

import re
from types import MappingProxyType

from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex


@record()
class Rule(Record):
    """pattern: of the whole name. longest: the maximum length in characters, None for no limit. source: the
    place in Kubernetes' source or documentation.
    """

    pattern: re.Pattern[str]
    longest: int | None
    source: str

    def allows(self, name: str) -> bool:
        """Tell whether an object may have this name."""
        return (self.longest is None or len(name) <= self.longest) and self.pattern.fullmatch(
            name
        ) is not None


_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_VALIDATION = "staging/src/k8s.io/apimachinery/pkg"
SUBDOMAIN = Rule(
    regex(rf"{_LABEL}(?:\.{_LABEL})*"),
    253,
    f"{_VALIDATION}/util/validation/validation.go: IsDNS1123Subdomain",
)
LABEL = Rule(re.compile(_LABEL), 63, f"{_VALIDATION}/util/validation/validation.go: IsDNS1123Label")
SEGMENT = Rule(
    regex(r"(?!\.{1,2}\Z)[^/%]+", re.DOTALL),
    None,
    f"{_VALIDATION}/api/validation/path/name.go: IsValidPathSegmentName",
)

# Kubernetes' own kinds. CustomResources require a subdomain too, but an aggregated API server has its own
# rules.
_KINDS_BY_RULE: tuple[tuple[Rule, str, tuple[str, ...]], ...] = (
    (
        SUBDOMAIN,
        "pkg/apis/core/validation/validation.go",
        (
            *(
                "Pod",
                "PodTemplate",
                "ReplicationController",
                "Node",
                "LimitRange",
                "ResourceQuota",
                "Secret",
                "ServiceAccount",
                "Endpoints",
            ),
            *("PersistentVolume", "PersistentVolumeClaim", "ConfigMap"),
        ),
    ),
    (LABEL, "pkg/apis/core/validation/validation.go: ValidateNamespaceName", ("Namespace",)),
    # A label of RFC 1035 without the gate RelaxedServiceNameValidation (1.34), one of RFC 1123 with it.
    (LABEL, "pkg/apis/core/validation/validation.go: ValidateServiceCreate", ("Service",)),
    (
        SUBDOMAIN,
        "pkg/apis/apps/validation/validation.go",
        ("ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet"),
    ),
    # A label since 1.33 (ValidateStatefulSetName), a subdomain before; an older object keeps its name.
    (SUBDOMAIN, "pkg/apis/apps/validation/validation.go, before 1.33", ("StatefulSet",)),
    (SUBDOMAIN, "pkg/apis/batch/validation/validation.go", ("Job", "CronJob")),
    (SUBDOMAIN, "pkg/apis/autoscaling/validation/validation.go", ("HorizontalPodAutoscaler",)),
    (SUBDOMAIN, "pkg/apis/coordination/validation/validation.go", ("Lease",)),
    (SUBDOMAIN, "pkg/apis/discovery/validation/validation.go", ("EndpointSlice",)),
    (SUBDOMAIN, "pkg/apis/networking/validation/validation.go", ("Ingress", "IngressClass", "NetworkPolicy")),
    (SUBDOMAIN, "pkg/apis/node/validation/validation.go", ("RuntimeClass",)),
    (SUBDOMAIN, "pkg/apis/scheduling/validation/validation.go", ("PriorityClass",)),
    (
        SUBDOMAIN,
        "pkg/apis/storage/validation/validation.go",
        (
            "StorageClass",
            "VolumeAttachment",
            "CSINode",
            "CSIDriver",
            "CSIStorageCapacity",
            "VolumeAttributesClass",
        ),
    ),
    (
        SUBDOMAIN,
        "pkg/apis/resource/validation/validation.go",
        ("ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceClass"),
    ),
    (
        SUBDOMAIN,
        "pkg/apis/admissionregistration/validation/validation.go",
        (
            *("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"),
            *("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
            *("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"),
        ),
    ),
    (
        SUBDOMAIN,
        "staging/src/k8s.io/apiextensions-apiserver: ValidateCustomResourceDefinition",
        ("CustomResourceDefinition",),
    ),
    # `VERSION.GROUP`, both DNS names.
    (SUBDOMAIN, "staging/src/k8s.io/kube-aggregator: ValidateAPIService", ("APIService",)),
    (
        SEGMENT,
        "pkg/apis/rbac/validation/validation.go: ValidateRBACName",
        ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"),
    ),
    # Kinds without validation of names beyond that of every object.
    (
        SEGMENT,
        "pkg/apis/certificates/validation/validation.go: ValidateCertificateRequestName",
        ("CertificateSigningRequest",),
    ),
    (
        SEGMENT,
        "pkg/apis/core/validation/events.go: legacyValidateEvent (core/v1; events.k8s.io wants a subdomain)",
        ("Event",),
    ),
    (
        SEGMENT,
        "pkg/apis/policy/validation/validation.go: ValidatePodDisruptionBudget",
        ("PodDisruptionBudget",),
    ),
)
RULES = MappingProxyType({kind: rule for rule, _, kinds in _KINDS_BY_RULE for kind in kinds})
SHORT_NAMES = MappingProxyType(
    {
        "po": "Pod",
        "no": "Node",
        "ns": "Namespace",
        "svc": "Service",
        "deploy": "Deployment",
        "ds": "DaemonSet",
        "sts": "StatefulSet",
        "rs": "ReplicaSet",
        "cm": "ConfigMap",
        "ev": "Event",
        "pv": "PersistentVolume",
        "pvc": "PersistentVolumeClaim",
        "pdb": "PodDisruptionBudget",
        "crd": "CustomResourceDefinition",
    }
)
_BY_WORD = MappingProxyType({**{kind.lower(): kind for kind in RULES}, **SHORT_NAMES})


def find_rule(kind: str) -> Rule:
    """Return the rule for the names of this kind, in any letter case and with or without its group; an
    unknown kind accepts a path's segment.
    """
    return RULES.get(parse_kind(kind), SEGMENT)


def parse_kind(word: str) -> str:
    """Return the kind in Kubernetes' spelling, from any letter case or its short name; an unknown word stays
    unchanged.
    """
    return _BY_WORD.get(word.lower(), word)
