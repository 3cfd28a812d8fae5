"""Condition types with known meanings, of Kubernetes' own kinds and by conventions for all kinds, with their
sources.
"""

from __future__ import annotations

from typing import Literal

from unstuck.facts.record import Record, record

# well. ill: at once. waits: not well if it lasts. moves: its controller is at work. held: stopped on purpose.
# odd: only the name suggests "not well". counted: not well, if the counted objects confirm it. nothing: no
# judgement of the object. unheard: an unknown type.
Tone = Literal["well", "ill", "waits", "moves", "held", "odd", "counted", "nothing", "unheard"]


@record()
class Meaning(Record):
    """types: of conditions. true, false: the meaning of each status. kinds: of objects, in the form of Refs,
    or their API group behind a dot (`.kubevirt.io`) for all its kinds; none for all.

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

OF_KINDS: tuple[Meaning, ...] = (
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
        ("NonStructuralSchema",),
        "odd",
        "nothing",
        "kubernetes staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go",
        ("CustomResourceDefinition",),
    ),
    Meaning(
        ("Terminating", "KubernetesAPIApprovalPolicyConformant"),
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
        (("Stopped", "held"),),
    ),
    Meaning(
        ("Healthy", "Completed"),
        "well",
        "nothing",
        "argo-rollouts pkg/apis/rollouts/v1alpha1/types.go",
        ("Rollout.argoproj.io",),
    ),
    Meaning(
        ("Synchronizing",),
        "moves",
        "nothing",
        "backube/volsync api/v1alpha1/common_types.go: False until the next time of its schedule",
        (".volsync.backube",),
        (("Error", "waits"),),
    ),
    Meaning(
        ("NoWarnings",),
        "nothing",
        "odd",
        "rabbitmq/cluster-operator internal/status/no_warnings.go",
        ("RabbitmqCluster.rabbitmq.com",),
    ),
    Meaning(
        ("Ready",),
        "well",
        "waits",
        "kubevirt pkg/virt-controller/watch/vm/vm.go: VMINotExists of every machine that does not run",
        ("VirtualMachine.kubevirt.io",),
        (("VMINotExists", "moves"),),
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
)

OF_ALL: tuple[Meaning, ...] = (
    Meaning(("Ready", "Available", "Healthy", "Synced", "Reconciled"), "well", "waits", _CONVENTIONS),
    Meaning(
        ("Succeeded",),
        "well",
        "ill",
        "tektoncd/pipeline docs/pipelineruns.md; knative.dev/pkg apis/condition_set.go",
        # Cancelled by its owner.
        reasons=(("Cancelled", "held"), ("TaskRunCancelled", "held")),
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
