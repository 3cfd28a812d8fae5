"""The state words of objects without conditions (`status.phase`, `status.health.status`) and their meanings,
with a source for each row.

The conventions deprecate phases, so no word has an intrinsic meaning: an unlisted word is only quoted.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.facts.record import Record, record
from unstuck.knowledge.condition_rows import Tone
from unstuck.knowledge.conditions import names_approval


@record()
class StatusWords(Record):
    """words: in lower case. tone: their meaning for the object."""

    words: frozenset[str]
    tone: Tone
    source: str


_ARGO_CD = "argo-cd gitops-engine/pkg/health/health.go"
_WORKFLOW = "argo-workflows pkg/apis/workflow/v1alpha1/workflow_types.go"
_VELERO = "velero pkg/apis/velero/v1: BackupPhase, RestorePhase, BackupStorageLocationPhase"
_CAPI = "cluster-api api/v1beta1: ClusterPhase, MachinePhase"

STATUS_WORDS: tuple[StatusWords, ...] = (
    StatusWords(frozenset({"healthy", "synced"}), "well", _ARGO_CD),
    StatusWords(frozenset({"degraded"}), "ill", _ARGO_CD),
    StatusWords(frozenset({"missing"}), "waits", _ARGO_CD),
    StatusWords(
        frozenset({"syncfailed"}), "ill", "argo-cd gitops-engine/pkg/sync/common/types.go: ResultCode"
    ),
    StatusWords(frozenset({"progressing"}), "moves", _ARGO_CD),
    StatusWords(frozenset({"suspended"}), "held", _ARGO_CD),
    StatusWords(
        frozenset({"outofsync"}),
        "nothing",
        "argo-cd pkg/apis/application/v1alpha1/types.go: it may be meant so",
    ),
    StatusWords(frozenset({"succeeded", "running"}), "well", _WORKFLOW),
    StatusWords(frozenset({"failed", "error", "errored"}), "ill", _WORKFLOW),
    StatusWords(frozenset({"completed", "available", "enabled", "processed"}), "well", _VELERO),
    StatusWords(
        frozenset({"partiallyfailed", "failedvalidation", "finalizingpartiallyfailed"}), "ill", _VELERO
    ),
    StatusWords(frozenset({"unavailable"}), "waits", _VELERO),
    StatusWords(
        frozenset({"new", "inprogress", "queued", "finalizing", "waitingforpluginoperations"}),
        "moves",
        _VELERO,
    ),
    StatusWords(frozenset({"provisioned"}), "well", _CAPI),
    StatusWords(frozenset({"pending", "provisioning", "scalingup", "scalingdown"}), "moves", _CAPI),
    StatusWords(
        frozenset({"ready", "created", "health_ok"}),
        "well",
        "rook pkg/apis/ceph.rook.io/v1/types.go, status.go",
    ),
    StatusWords(
        frozenset({"health_err", "failure"}), "ill", "rook pkg/apis/ceph.rook.io/v1/types.go, status.go"
    ),
    StatusWords(frozenset({"health_warn"}), "odd", "rook pkg/apis/ceph.rook.io/v1/types.go"),
    StatusWords(
        frozenset({"connecting", "creating", "updating"}), "moves", "rook pkg/apis/ceph.rook.io/v1/types.go"
    ),
    StatusWords(
        frozenset({"attached", "detached"}),
        "well",
        "longhorn-manager k8s/pkg/apis/longhorn/v1beta2/volume.go",
    ),
    StatusWords(frozenset({"faulted"}), "ill", "longhorn-manager k8s/pkg/apis/longhorn/v1beta2/volume.go"),
    StatusWords(frozenset({"green"}), "well", "elastic/cloud-on-k8s pkg/apis/elasticsearch/v1"),
    StatusWords(frozenset({"yellow"}), "odd", "elastic/cloud-on-k8s pkg/apis/elasticsearch/v1"),
    StatusWords(frozenset({"red"}), "ill", "elastic/cloud-on-k8s pkg/apis/elasticsearch/v1"),
    StatusWords(frozenset({"cluster in healthy state"}), "well", "cloudnative-pg api/v1/cluster_types.go"),
    StatusWords(
        frozenset({"valid", "issued"}), "well", "cert-manager pkg/apis/acme/v1/types_order.go: State"
    ),
    StatusWords(
        frozenset({"invalid", "expired"}), "ill", "cert-manager pkg/apis/acme/v1/types_order.go: State"
    ),
    StatusWords(frozenset({"processing"}), "moves", "cert-manager pkg/apis/acme/v1/types_order.go: State"),
    StatusWords(
        frozenset({"active", "deployed", "bound", "installed"}),
        "well",
        "kubernetes core/v1 phases; k3s HelmChart",
    ),
    StatusWords(
        frozenset({"lost", "rejected", "denied"}), "ill", "kubernetes core/v1 PersistentVolumeClaimPhase"
    ),
    StatusWords(
        frozenset({"paused", "stopped"}),
        "held",
        "argo-rollouts RolloutPhase; kubevirt.io/api core/v1 printableStatus",
    ),
    StatusWords(
        frozenset({"starting", "stopping", "migrating", "initializing", "deleting", "terminating"}),
        "moves",
        "kubevirt.io/api core/v1",
    ),
    StatusWords(
        frozenset(
            {
                "crashloopbackoff",
                "errorunschedulable",
                "errimagepull",
                "imagepullbackoff",
                "errorpvcnotfound",
                "datavolumeerror",
            }
        ),
        "ill",
        "kubevirt.io/api core/v1 printableStatus",
    ),
)


@record()
class FieldMeaning(Record):
    """field: a path in objects of one kind. tones: the meanings by value; "" for any other value."""

    kind: str
    field: str
    tones: Mapping[str, Tone]
    source: str


# A reader's value for a field that is not set yet.
NONE = "<none>"
FIELDS: tuple[FieldMeaning, ...] = (
    FieldMeaning(
        "Service",
        "status.loadBalancer.ingress",
        MappingProxyType({NONE: "waits", "": "well"}),
        "kubernetes core/v1 LoadBalancerStatus: a cloud's controller writes it",
    ),
    FieldMeaning(
        "Ingress",
        "status.loadBalancer.ingress",
        MappingProxyType({NONE: "odd", "": "well"}),
        "kubernetes networking/v1 IngressLoadBalancerStatus: not every controller writes it",
    ),
    FieldMeaning(
        "CertificateSigningRequest",
        "status.certificate",
        MappingProxyType({NONE: "waits", "": "well"}),
        "kubernetes certificates/v1: a signer writes it after the approval",
    ),
    FieldMeaning(
        "CertificateSigningRequest",
        "status.conditions",
        MappingProxyType({NONE: "waits"}),
        "kubernetes certificates/v1: nobody has approved or denied it",
    ),
    FieldMeaning(
        "PodDisruptionBudget",
        "status.currentHealthy",
        MappingProxyType({"": "waits"}),
        "kubernetes policy/v1: told where it is below desiredHealthy",
    ),
    FieldMeaning(
        "ValidatingAdmissionPolicy",
        "status.typeChecking.expressionWarnings",
        MappingProxyType({"": "ill"}),
        "kubernetes admissionregistration/v1 TypeChecking: told where it fits none of the policy's types",
    ),
    FieldMeaning(
        "ResourceClaim",
        "status.allocation",
        MappingProxyType({NONE: "odd", "": "well"}),
        "kubernetes resource/v1 ResourceClaimStatus: allocated once a Pod that uses it is scheduled",
    ),
    FieldMeaning(
        "Workflow.argoproj.io",
        "status.nodes[Suspend]",
        MappingProxyType({"": "held"}),
        (
            "argo-workflows workflow_types.go: a suspend step that runs waits for `argo resume`, or for its "
            "own duration"
        ),
    ),
    FieldMeaning(
        "PersistentVolumeClaim",
        "status.modifyVolumeStatus.status",
        MappingProxyType({"Infeasible": "ill", "Pending": "waits", "InProgress": "moves"}),
        "kubernetes core/v1 PersistentVolumeClaimModifyVolumeStatus",
    ),
    FieldMeaning(
        "PersistentVolumeClaim",
        "status.allocatedResourceStatuses.storage",
        MappingProxyType({"ControllerResizeInfeasible": "ill", "NodeResizeInfeasible": "ill", "": "nothing"}),
        "kubernetes core/v1 ClaimResourceStatus",
    ),
    FieldMeaning(
        "VolumeAttachment",
        "status.attached",
        MappingProxyType({"true": "well", "": "waits"}),
        "kubernetes storage/v1 VolumeAttachmentStatus: the attacher of its driver writes it",
    ),
    FieldMeaning(
        "ResourceQuota",
        "status.used",
        MappingProxyType({"": "odd"}),
        "kubernetes core/v1: told where all of hard is used",
    ),
    FieldMeaning(
        "ResourceQuota",
        "status.hard",
        MappingProxyType({NONE: "waits", "": "odd"}),
        "kubernetes core/v1 ResourceQuotaStatus: kube-controller-manager copies spec.hard",
    ),
    FieldMeaning(
        "HorizontalPodAutoscaler",
        "status.currentReplicas",
        MappingProxyType({"": "waits"}),
        "kubernetes autoscaling/v2: told where it is below desiredReplicas",
    ),
    *(
        FieldMeaning(
            kind,
            "status.loadBalancer.ingress.ports",
            MappingProxyType({"": "ill"}),
            "kubernetes core/v1 PortStatus, networking/v1 IngressPortStatus: told where a port has an error",
        )
        for kind in ("Service", "Ingress")
    ),
    FieldMeaning(
        "EndpointSlice",
        "endpoints",
        MappingProxyType({"": "odd"}),
        "kubernetes discovery/v1 EndpointConditions: told where none is ready",
    ),
    FieldMeaning(
        "Endpoints",
        "subsets",
        MappingProxyType({"": "odd"}),
        "kubernetes core/v1 EndpointSubset: told where no address is ready",
    ),
    *(
        FieldMeaning(
            f"{kind}.snapshot.storage.k8s.io",
            "status.readyToUse",
            MappingProxyType({"true": "well", "": "waits"}),
            "kubernetes-csi/external-snapshotter client/apis/volumesnapshot/v1/types.go",
        )
        for kind in ("VolumeSnapshot", "VolumeSnapshotContent")
    ),
)


def find_word_tone(kind: str, field: str, value: str) -> Tone:
    """Return the tone of a field's value on an object of this kind; `unheard` for an unknown value.

    Phases of Kubernetes' own kinds are not included: each kind is judged separately.
    """
    own = next((f for f in FIELDS if f.kind == kind and f.field == field), None)
    if own is not None:
        return own.tones.get(value, own.tones.get("", "unheard"))
    if "." not in kind:
        return "nothing"
    if names_approval(value):
        return "held"
    low = value.lower()
    return next((w.tone for w in STATUS_WORDS if low in w.words), "unheard")
