"""The meaning of condition types for an object, with sources; for an unlisted type only the condition's own
wording counts.

The conventions: conditions report an observed state, a type has the meaning "well" or "not well" when True,
and Unknown means that the state is not known yet (kubernetes/community,
contributors/devel/sig-architecture/api-conventions.md, "Typical status properties").
"""

from __future__ import annotations

import re
from typing import Literal

from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

# well. ill: at once. waits: not well if it lasts. moves: its controller is at work. held: stopped on purpose.
# odd: only the name suggests "not well". counted: not well, if the counted objects confirm it. nothing: no
# judgement of the object. unheard: an unknown type.
Tone = Literal["well", "ill", "waits", "moves", "held", "odd", "counted", "nothing", "unheard"]


@record()
class Meaning(Record):
    """types: of conditions. true, false: the meaning of each status. kinds: of objects, in the form of Refs;
    none for all.

    reasons: reasons that give a status an unusual meaning.
    """

    types: tuple[str, ...]
    true: Tone
    false: Tone
    source: str
    kinds: tuple[str, ...] = ()
    reasons: tuple[tuple[str, Tone], ...] = ()


_KSTATUS = "kubernetes-sigs/cli-utils pkg/kstatus/README.md: abnormal-true conditions"
_CONVENTIONS = "kubernetes/community api-conventions.md: Typical status properties"

# The first matching row decides; rows for one kind come before rows for all kinds.
MEANINGS: tuple[Meaning, ...] = (
    Meaning(
        ("ComparisonError", "InvalidSpecError", "DeletionError", "SyncError", "UnknownError"),
        "ill",
        "nothing",
        "argo-cd pkg/apis/application/v1alpha1/types.go: they have no status and are there while they hold",
        ("Application.argoproj.io",),
    ),
    Meaning(
        (
            "SharedResourceWarning",
            "RepeatedResourceWarning",
            "ExcludedResourceWarning",
            "OrphanedResourceWarning",
        ),
        "nothing",
        "nothing",
        "argo-cd pkg/apis/application/v1alpha1/types.go",
        ("Application.argoproj.io",),
    ),
    Meaning(
        ("Available",),
        "nothing",
        "nothing",
        "kubernetes staging/src/k8s.io/api/apps/v1/types.go",
        ("Deployment",),
    ),
    Meaning(
        ("Progressing",),
        "nothing",
        "ill",
        "kubernetes pkg/controller/deployment/progress.go (ProgressDeadlineExceeded)",
        ("Deployment",),
    ),
    Meaning(
        ("Progressing",),
        "nothing",
        "ill",
        (
            "argo-rollouts utils/conditions/conditions.go: Unknown for one that is paused, by its strategy "
            "or by somebody"
        ),
        ("Rollout.argoproj.io",),
        (("RolloutPaused", "held"),),
    ),
    Meaning(
        ("ReplicaFailure",),
        "counted",
        "nothing",
        "kubernetes staging/src/k8s.io/api/apps/v1/types.go",
        ("Deployment", "ReplicaSet", "ReplicationController"),
    ),
    Meaning(
        ("Complete",), "well", "nothing", "kubernetes staging/src/k8s.io/api/batch/v1/types.go", ("Job",)
    ),
    Meaning(
        ("Failed", "FailureTarget"),
        "ill",
        "nothing",
        "kubernetes staging/src/k8s.io/api/batch/v1/types.go",
        ("Job",),
    ),
    Meaning(
        ("SuccessCriteriaMet",),
        "nothing",
        "nothing",
        "kubernetes staging/src/k8s.io/api/batch/v1/types.go",
        ("Job",),
    ),
    Meaning(
        ("Suspended",), "held", "nothing", "kubernetes staging/src/k8s.io/api/batch/v1/types.go", ("Job",)
    ),
    Meaning(
        ("ScalingActive",),
        "well",
        "waits",
        # The autoscaler checks its target and its own spec before any metric, and stops at the first error.
        "kubernetes pkg/controller/podautoscaler/horizontal.go (ScalingDisabled: its target has 0 replicas)",
        ("HorizontalPodAutoscaler",),
        (
            ("ScalingDisabled", "held"),
            ("AmbiguousSelector", "ill"),
            ("InvalidSelector", "ill"),
            ("InvalidMetricSourceType", "ill"),
        ),
    ),
    Meaning(
        ("AbleToScale",),
        "well",
        "waits",
        "kubernetes staging/src/k8s.io/api/autoscaling/v2/types.go",
        ("HorizontalPodAutoscaler",),
    ),
    Meaning(
        ("ScalingLimited",),
        "nothing",
        "nothing",
        "kubernetes staging/src/k8s.io/api/autoscaling/v2/types.go",
        ("HorizontalPodAutoscaler",),
    ),
    Meaning(
        ("DisruptionAllowed",),
        "well",
        "nothing",
        "kubernetes staging/src/k8s.io/api/policy/v1/types.go (SyncFailed)",
        ("PodDisruptionBudget",),
        (("SyncFailed", "ill"),),
    ),
    Meaning(
        ("NamesAccepted",),
        "well",
        "ill",
        (
            "kubernetes apiextensions-apiserver pkg/controller/status/naming_controller.go: False for a "
            "name that is taken"
        ),
        ("CustomResourceDefinition",),
    ),
    Meaning(
        ("Established",),
        "well",
        "waits",
        "kubernetes staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go",
        ("CustomResourceDefinition",),
    ),
    Meaning(
        ("Dangling",),
        "ill",
        "nothing",
        "kubernetes staging/src/k8s.io/api/flowcontrol/v1/types.go",
        ("FlowSchema",),
    ),
    Meaning(
        ("NonStructuralSchema", "Terminating", "KubernetesAPIApprovalPolicyConformant"),
        "nothing",
        "nothing",
        "kubernetes staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go",
        ("CustomResourceDefinition",),
    ),
    Meaning(
        ("Approved",),
        "well",
        "waits",
        "kubernetes staging/src/k8s.io/api/certificates/v1/types.go; cert-manager CertificateRequest",
        ("CertificateSigningRequest", "CertificateRequest.cert-manager.io"),
    ),
    Meaning(
        ("Resizing", "FileSystemResizePending", "ModifyingVolume"),
        "moves",
        "nothing",
        "kubernetes staging/src/k8s.io/api/core/v1/types.go (PersistentVolumeClaimConditionType)",
        ("PersistentVolumeClaim",),
    ),
    Meaning(
        ("ControllerResizeError", "NodeResizeError", "ModifyVolumeError"),
        "ill",
        "nothing",
        "kubernetes staging/src/k8s.io/api/core/v1/types.go (PersistentVolumeClaimConditionType)",
        ("PersistentVolumeClaim",),
    ),
    Meaning(
        ("LoadBalancerPortsError",),
        "ill",
        "nothing",
        "kubernetes staging/src/k8s.io/api/core/v1/types.go",
        ("Service",),
    ),
    Meaning(
        (
            "NamespaceDeletionDiscoveryFailure",
            "NamespaceDeletionContentFailure",
            "NamespaceDeletionGroupVersionParsingFailure",
            "NamespaceContentRemaining",
            "NamespaceFinalizersRemaining",
        ),
        "nothing",
        "nothing",
        (
            "kubernetes staging/src/k8s.io/api/core/v1/types.go: of a Namespace that is being deleted, "
            "whose line tells it"
        ),
        ("Namespace",),
    ),
    Meaning(
        ("Active", "Fallback"),
        "nothing",
        "nothing",
        "keda.sh: ScaledObject; Fallback is told by Ready beside it",
        ("ScaledObject.keda.sh", "ScaledJob.keda.sh"),
    ),
    Meaning(
        ("Active",),
        "well",
        "waits",
        "kueue apis/kueue/v1beta1: ClusterQueueActive, LocalQueueActive",
        ("ClusterQueue.kueue.x-k8s.io", "LocalQueue.kueue.x-k8s.io"),
    ),
    Meaning(
        ("Healthy", "Completed"),
        "well",
        "nothing",
        "argo-rollouts pkg/apis/rollouts/v1alpha1/types.go",
        ("Rollout.argoproj.io",),
    ),
    Meaning(
        ("InvalidSpec",),
        "ill",
        "nothing",
        "argo-rollouts pkg/apis/rollouts/v1alpha1/types.go",
        ("Rollout.argoproj.io",),
    ),
    Meaning(
        ("PodRunning", "Completed"),
        "nothing",
        "nothing",
        "argo-workflows pkg/apis/workflow/v1alpha1/workflow_types.go: its phase tells",
        ("Workflow.argoproj.io",),
    ),
    Meaning(
        ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"),
        "ill",
        "nothing",
        "kubernetes staging/src/k8s.io/api/core/v1/types.go (NodeConditionType)",
        ("Node",),
    ),
    Meaning(
        (
            *(
                "KernelDeadlock",
                "ReadonlyFilesystem",
                "CorruptDockerOverlay2",
                "FrequentUnregisterNetDevice",
                "FrequentKubeletRestart",
            ),
            *(
                "FrequentContainerdRestart",
                "FrequentDockerRestart",
                "KubeletProblem",
                "ContainerRuntimeProblem",
                "CperHardwareErrorFatal",
            ),
        ),
        "ill",
        "nothing",
        "kubernetes/node-problem-detector config/*.json: permanent conditions",
        ("Node",),
    ),
    # for any kind
    Meaning(("Ready", "Available", "Healthy", "Synced", "Reconciled"), "well", "waits", _CONVENTIONS),
    Meaning(
        ("Succeeded",),
        "well",
        "ill",
        "tektoncd/pipeline docs/pipelineruns.md; knative.dev/pkg apis/condition_set.go",
    ),
    Meaning(("Complete", "Completed", "Finished"), "well", "nothing", _CONVENTIONS),
    Meaning(("Failed", "Failure", "Failing", "Stalled"), "ill", "nothing", _KSTATUS),
    Meaning(
        ("Degraded",),
        "ill",
        "nothing",
        "openshift/api config/v1/types_cluster_operator.go; operator-framework conditions",
    ),
    Meaning(
        ("Reconciling", "Progressing", "Issuing"),
        "moves",
        "nothing",
        _KSTATUS,
        # As for a Deployment, the status stays True after completion (pkg/controller/deployment/util:
        # NewReplicaSetAvailable).
        reasons=(("NewReplicaSetAvailable", "nothing"), ("NewReplicationControllerAvailable", "nothing")),
    ),
    Meaning(
        ("Deleting", "Updating", "Upgrading", "RollingOut", "ScalingUp", "ScalingDown"),
        "nothing",
        "nothing",
        _CONVENTIONS,
    ),
    Meaning(
        ("Denied", "InvalidRequest"),
        "ill",
        "nothing",
        "cert-manager pkg/apis/certmanager/v1/types_certificaterequest.go; certificates/v1",
    ),
    Meaning(("NotReady",), "waits", "nothing", "strimzi-kafka-operator api Condition"),
    Meaning(
        ("Paused", "Suspended", "ReconciliationPaused"),
        "held",
        "nothing",
        "cluster-api v1beta2; keda; strimzi-kafka-operator",
    ),
    Meaning(("Warning",), "nothing", "nothing", "strimzi-kafka-operator: told beside Ready"),
    Meaning(
        ("Accepted", "Programmed", "ResolvedRefs"),
        "well",
        "waits",
        "kubernetes-sigs/gateway-api apis/v1/gateway_types.go, shared_types.go",
    ),
    Meaning(
        ("Conflicted", "PartiallyInvalid", "OverlappingTLSConfig"),
        "ill",
        "nothing",
        "kubernetes-sigs/gateway-api apis/v1/gateway_types.go",
    ),
    Meaning(
        ("FetchFailed", "IncludeUnavailable", "StorageOperationFailed", "BuildFailed"),
        "ill",
        "nothing",
        "fluxcd/source-controller api/v1/condition_types.go",
    ),
    Meaning(
        ("Installed", "Established", "Offered"),
        "well",
        "waits",
        "crossplane apis: packages and composite resource definitions",
    ),
    Meaning(
        ("Upgradeable", "LiveMigratable", "StorageLiveMigratable"),
        "nothing",
        "nothing",
        "openshift/api; kubevirt.io/api core/v1",
    ),
)

# The last word of an unlisted type often shows its meaning, which is enough for doubt but not for a claim.
_WELL_ENDS = ("Ready", "Available", "Healthy", "Succeeded", "Valid", "Reachable", "Synced")
_ILL_ENDS = (
    "Failed",
    "Failure",
    "Error",
    "NotReady",
    "Unavailable",
    "Unhealthy",
    "Degraded",
    "Invalid",
    "Stalled",
    "Unreachable",
)
# Types that summarise the state of the whole object.
SUMMARIES = frozenset(
    {
        "Ready",
        "Available",
        "Healthy",
        "Succeeded",
        "Complete",
        "Completed",
        "Finished",
        "Established",
        "Programmed",
    }
    | {"ScalingActive", "DisruptionAllowed", "Approved"}
)


# Steps of a deletion in types and reasons of conditions (cluster-api Deleting, Draining,
# WaitingForVolumeDetach; crossplane and rook Deleting, DeletionIsBlocked; capi infrastructure providers
# DeletionFailed).
_DELETION_STEPS = (
    "delet",
    "drain",
    "terminat",
    "finaliz",
    "evict",
    "volumedetach",
    "detachvolume",
    "dependents",
)


def is_deletion_word(word: str) -> bool:
    """Tell whether a condition's type or reason names a step of a deletion."""
    low = word.lower()
    return any(step in low for step in _DELETION_STEPS)


# The endings of reasons for failures; by convention a reason is one CamelCase word for the last transition.
_FAILURES = (
    "Failed",
    "Failure",
    "Error",
    "Errored",
    "Invalid",
    "NotFound",
    "Missing",
    "Denied",
    "Forbidden",
    "Rejected",
    "Unsupported",
)
# Some of these endings also occur in reasons for temporary states.
_TROUBLES = (
    *_FAILURES,
    *(
        "Failing",
        "Unauthorized",
        "Refused",
        "Exceeded",
        "TimedOut",
        "Timeout",
        "Unavailable",
        "Unreachable",
        "Mismatch",
        "Conflict",
    ),
)


def names_failure(reason: str) -> bool:
    """Tell whether a condition's reason is a word for a failure, as opposed to a pending step."""
    return reason.endswith(_FAILURES)


def names_trouble(reason: str) -> bool:
    """Tell whether a condition's reason is a word for a failure or a temporary problem."""
    return reason.endswith(_TROUBLES)


# Phrases of messages that only count attempts, or only repeat that the object is not well.
_COUNTS = regex(
    (
        r"\b\d+ (?:attempts?|retries|times?|errors?|failures?)(?:\(s\))?\b|\b(?:retries|attempts?) "
        r"(?:exhausted|exceeded)\b"
    ),
    re.I,
)
_SUMS_UP = regex(
    r"(?:the |this |cluster |object |resource |some |one or more |not all |all |\w+ )*(?:is|are|has|have)?"
    r"(?: not|n't)?(?: yet)? ?"
    r"(?:ready|healthy|available|active|synced|reconciled|degraded|failed|progressing)\b[ .!]*(?:see .*)?",
    re.I,
)
_CAMEL = regex(r"[A-Z][a-z]+|[A-Z]+(?![a-z])|[a-z]+|\d+")
_SHORT = 60


def says_little(reason: str, message: str) -> bool:
    """Tell whether a message only counts attempts, sums up, or repeats its reason."""
    words = {w.lower() for w in _CAMEL.findall(message)}
    if words <= {w.lower() for w in _CAMEL.findall(reason)}:
        return True
    return len(message) <= _SHORT and (
        _COUNTS.search(message) is not None or _SUMS_UP.fullmatch(message) is not None
    )


_WAITS = regex(
    r"\bwait(?:s|ing)? (?:for|on|until)\b|\bblocked (?:by|on)\b|\block(?:ed)? (?:is )?held\b|\bheld by\b",
    re.I,
)


def names_wait(message: str) -> bool:
    """Tell whether a message reports waiting for something else."""
    return _WAITS.search(message) is not None


# Reasons in any condition by which a controller reports that its reconciliation is paused. Sources:
# crossplane-runtime apis/common/v1/condition.go (ReasonReconcilePaused); strimzi-kafka-operator
# (ReconciliationPaused).
_HOLDS = frozenset({"ReconcilePaused", "ReconciliationPaused"})


_APPROVAL = regex(
    r"(?:(?:Requires?|Required|Await(?:s|ing)?|Pending|Wait(?:s|ing)?(?:For|On)?|Needs?)(?:Manual|User"
    r"|Human)?Approval"
    r"|(?:Manual)?Approval(?:Required|Pending|Needed)|NotApproved|Unapproved)",
    re.I,
)


def names_approval(word: str) -> bool:
    """Tell whether a reason, a type or a phase shows a pending approval."""
    return _APPROVAL.fullmatch(word.replace("_", "").replace("-", "").replace(" ", "")) is not None


def _asks_approval(row: Meaning | None, type_: str, status: str, reason: str) -> bool:
    if row is not None and "waits" not in (row.true, row.false):
        return False
    return (names_approval(reason) and (row is None or status != "True")) or (
        names_approval(type_) and status == "True"
    )


def find_tone(kind: str, type_: str, status: str, reason: str = "") -> Tone:
    """Return the tone of a condition on an object of this kind. status: "" if a kind's conditions have
    none (Argo CD).
    """
    row = next((m for m in MEANINGS if type_ in m.types and (not m.kinds or kind in m.kinds)), None)
    if "." in kind and _asks_approval(row, type_, status, reason):
        return "held"
    if row is None:
        return _infer_tone(type_, status)
    if status == "Unknown":
        usual: Tone = (
            "waits" if "well" in (row.true, row.false) or "ill" in (row.true, row.false) else "nothing"
        )
        return dict(row.reasons).get(reason, usual)
    if status not in ("True", "False") and (status or not row.kinds):
        return "odd"
    # If a kind's conditions have no status, an existing condition holds.
    usual = row.false if status == "False" else row.true
    return dict(row.reasons).get(reason, "held" if reason in _HOLDS else usual) if usual != "well" else usual


def says_outright(kind: str, type_: str, status: str, reason: str) -> bool:
    """Tell whether the reason itself is known to mean a fault, even if this status usually does not."""
    row = next((m for m in MEANINGS if type_ in m.types and (not m.kinds or kind in m.kinds)), None)
    usual = (row.true if status == "True" else row.false) if row else "ill"
    return row is not None and usual != "ill" and dict(row.reasons).get(reason) == "ill"


def _infer_tone(type_: str, status: str) -> Tone:
    # `NotReady` also ends in `Ready`.
    if type_.endswith(_ILL_ENDS):
        return "nothing" if status == "False" else "odd" if status in ("True", "") else "unheard"
    if type_.endswith(_WELL_ENDS) and status in ("True", "False"):
        return "well" if status == "True" else "odd"
    return "unheard"
