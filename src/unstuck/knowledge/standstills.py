"""Fields and annotations that stop an object on purpose, with a source for each row."""

from __future__ import annotations

from unstuck.facts.record import Record, record


@record()
class Switch(Record):
    """field: a path in the object, an annotation as `metadata.annotations[NAME]`. values: the stopping
    values, in lower case, "" for any.

    says: the state in words, in English and Chinese; for a field below `status`, which its controller writes,
    also the way to end it. kinds: of objects, in the form of Refs; none for all.
    """

    field: str
    values: tuple[str, ...]
    says: tuple[str, str]
    source: str
    kinds: tuple[str, ...] = ()


_SUSPENDED = ("suspended", "已挂起")
_PAUSED = ("paused", "已暂停")
_NONE = ("scaled to 0", "已缩容到 0")
_ANY = ("",)
_ROLLOUTS = "argo-rollouts pkg/apis/rollouts/v1alpha1/types.go: PauseReason"
# The reason for a Rollout's pause, for the first row.
PAUSE_REASON = "status.pauseConditions[0].reason"
# The settings that keep a volume without its claim, and a StatefulSet's Pods at their old template.
RECLAIM_POLICY = "spec.persistentVolumeReclaimPolicy"
PARTITION = "spec.updateStrategy.rollingUpdate.partition"
# The settings to resume an object, and fields that ask for them.
APPROVED = "spec.approved"
APPROVALS = ("spec.approval", "spec.installPlanApproval", "spec.approvalMode", "spec.manualApproval")
# Jobs with this label are created suspended, and Kueue resumes them (kueue pkg/controller/constants:
# QueueLabel).
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
# The queue is in the Job's Namespace and points to a ClusterQueue (kueue apis/kueue: LocalQueueSpec).
QUEUE = "LocalQueue.kueue.x-k8s.io"

SWITCHES: tuple[Switch, ...] = (
    Switch(
        "spec.suspend",
        ("true",),
        _SUSPENDED,
        "kubernetes batch/v1 Job, CronJob; fluxcd; argo-workflows CronWorkflow",
    ),
    Switch("spec.suspended", ("true",), _SUSPENDED, "kueue, kubeflow training-operator"),
    Switch(
        "spec.paused",
        ("true",),
        _PAUSED,
        "kubernetes apps/v1 Deployment; cluster-api Cluster; argo-rollouts; knative eventing",
    ),
    Switch("spec.pause", ("true",), _PAUSED, "zalando, percona operators"),
    Switch(
        "spec.replicas",
        ("0",),
        _NONE,
        "kubernetes apps/v1",
        (
            "Deployment",
            "StatefulSet",
            "ReplicationController",
            "Rollout.argoproj.io",
            "MachineDeployment.cluster.x-k8s.io",
        ),
    ),
    Switch(
        "spec.parallelism",
        ("0",),
        ("set to parallelism 0", "parallelism 已设为 0"),
        "kubernetes batch/v1 Job: JobSpec",
        ("Job",),
    ),
    Switch(
        PAUSE_REASON,
        ("canarypausestep",),
        (
            "paused by a step of its own canary strategy (CanaryPauseStep); it goes on once it is promoted, "
            "or when the time of this step, if it has one, is over",
            (
                "停在其金丝雀策略自身的暂停步骤（CanaryPauseStep）；执行 promote "
                "后继续，或在该步骤的时长（若有设置）结束后继续"
            ),
        ),
        _ROLLOUTS,
        ("Rollout.argoproj.io",),
    ),
    Switch(
        PAUSE_REASON,
        ("bluegreenpause",),
        (
            "paused by its own blue-green strategy before it switches over (BlueGreenPause); it goes on "
            "once it is promoted, or after autoPromotionSeconds, if they are set",
            (
                "停在其蓝绿策略切换之前的暂停（BlueGreenPause）；执行 promote "
                "后继续，或在 autoPromotionSeconds（若有设置）之后继续"
            ),
        ),
        _ROLLOUTS,
        ("Rollout.argoproj.io",),
    ),
    Switch(
        APPROVED,
        ("false",),
        ("waits for an approval", "等待批准"),
        "operator-framework api/pkg/operators/v1alpha1: InstallPlanSpec",
    ),
    Switch(
        "spec.stopPolicy",
        ("hold", "holdanddrain"),
        ("stopped", "已停止准入"),
        "kueue apis/kueue/v1beta1/clusterqueue_types.go: StopPolicy",
        ("ClusterQueue.kueue.x-k8s.io", QUEUE),
    ),
    Switch(
        "spec.runStrategy",
        ("halted",),
        ("halted", "已停机"),
        "kubevirt.io/api core/v1",
        ("VirtualMachine.kubevirt.io",),
    ),
    Switch(
        "spec.running",
        ("false",),
        ("switched off", "已关机"),
        "kubevirt.io/api core/v1",
        ("VirtualMachine.kubevirt.io",),
    ),
    Switch(
        "metadata.annotations[cluster.x-k8s.io/paused]",
        _ANY,
        _PAUSED,
        "cluster-api api/v1beta1/common_types.go: PausedAnnotation",
    ),
    Switch(
        "metadata.annotations[crossplane.io/paused]",
        ("true",),
        _PAUSED,
        "crossplane-runtime pkg/meta/meta.go",
    ),
    Switch(
        "metadata.annotations[autoscaling.keda.sh/paused]", ("true",), _PAUSED, "keda.sh: Pausing autoscaling"
    ),
    Switch(
        "metadata.annotations[autoscaling.keda.sh/paused-replicas]",
        _ANY,
        _PAUSED,
        "keda.sh: Pausing autoscaling",
    ),
    Switch(
        "metadata.annotations[strimzi.io/pause-reconciliation]",
        ("true",),
        _PAUSED,
        "strimzi.io: Pausing reconciliation",
    ),
    Switch(
        "metadata.annotations[kustomize.toolkit.fluxcd.io/reconcile]",
        ("disabled",),
        _SUSPENDED,
        "fluxcd kustomize-controller",
    ),
    Switch(
        "metadata.annotations[cnpg.io/hibernation]",
        ("on",),
        ("hibernated", "已休眠"),
        "cloudnative-pg: Declarative hibernation",
    ),
    Switch(
        "metadata.annotations[eck.k8s.elastic.co/managed]",
        ("false",),
        _PAUSED,
        "elastic/cloud-on-k8s: excluded from reconciliation",
    ),
)


# Settings by which an object should run: a status of `Stopped` beside them is no standstill on purpose
# (kubevirt.io/api core/v1: RunStrategy).
RUNS = (("spec.runStrategy", "Always"), ("spec.running", "true"))


def list_switches(kind: str) -> tuple[Switch, ...]:
    """Return the standstills possible for an object of this kind."""
    return tuple(s for s in SWITCHES if not s.kinds or kind in s.kinds)


def find_switch(kind: str, field: str, value: str) -> Switch | None:
    """Return the standstill caused by this field's value; None if it stops nothing."""
    low = value.lower()
    return next(
        (s for s in list_switches(kind) if s.field == field and (low in s.values or s.values == _ANY)), None
    )
