"""Condition types of well-known projects with their meanings, each with the file that defines them."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.facts.record import Record, record
from unstuck.knowledge.condition_rows import Meaning, Tone


@record()
class _Project(Record):
    """Condition types of one project's kinds. kinds, source: as in `Meaning`.

    wanted: well if True; the controller is still at work if False. required: well if True, a failure if
    False. troubles: a failure if True. steps: work in progress if True. waits: unwell if True for long.
    holds: stopped on purpose if True. remarks: no judgement of the object.
    """

    kinds: tuple[str, ...]
    source: str
    wanted: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


_PROJECTS = (
    _Project(
        ("VerticalPodAutoscaler.autoscaling.k8s.io",),
        "kubernetes/autoscaler vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1/types.go",
        wanted=("RecommendationProvided",),
        troubles=("NoPodsMatched", "ConfigUnsupported"),
        steps=("FetchingHistory",),
        remarks=("LowConfidence", "ConfigDeprecated"),
    ),
    _Project(
        ("ProvisioningRequest.autoscaling.x-k8s.io",),
        "kubernetes/autoscaler cluster-autoscaler/apis/provisioningrequest/autoscaling.x-k8s.io/v1/types.go",
        wanted=("Provisioned",),
        troubles=("CapacityRevoked",),
        remarks=("BookingExpired",),
    ),
    _Project(
        ("NodeClaim.karpenter.sh",),
        "kubernetes-sigs/karpenter pkg/apis/v1/nodeclaim_status.go",
        wanted=("Launched", "Registered", "Initialized", "ConsistentStateFound"),
        remarks=(
            *("Consolidatable", "Drifted", "Drained", "VolumesDetached", "InstanceTerminating"),
            *("DisruptionReason", "Empty", "Expired"),
        ),
    ),
    _Project(
        ("NodePool.karpenter.sh", ".karpenter.k8s.aws", ".karpenter.azure.com"),
        "kubernetes-sigs/karpenter pkg/apis/v1/nodepool_status.go; karpenter-provider-aws pkg/apis/v1",
        required=("ValidationSucceeded",),
        wanted=("NodeClassReady", "NodeRegistrationHealthy", "SubnetsReady", "SecurityGroupsReady"),
    ),
    _Project(
        (".kubevirt.io",),
        "kubevirt staging/src/kubevirt.io/api/core/v1/types.go",
        required=("Synchronized",),
        troubles=("ManualRecoveryRequired",),
        steps=("Provisioning",),
        remarks=(
            *("AgentConnected", "AgentVersionNotSupported", "UnsupportedAgent", "VolumesChange"),
            *("HotVCPUChange", "HotMemoryChange", "EvictionRequested", "MigrationRequired"),
            *("RestartRequired", "PodConditionMissing"),
        ),
    ),
    _Project(
        ("DataVolume.cdi.kubevirt.io",),
        "kubevirt/containerized-data-importer-api apis/core/v1beta1/types.go",
        wanted=("Bound",),
        remarks=("Running",),
    ),
    _Project(
        ("Subscription.operators.coreos.com",),
        "operator-framework/api pkg/operators/v1alpha1/subscription_types.go: abnormal-true",
        troubles=(
            *("CatalogSourcesUnhealthy", "InstallPlanMissing", "InstallPlanFailed"),
            *("ResolutionFailed", "BundleUnpackFailed"),
        ),
        steps=("BundleUnpacking",),
        waits=("InstallPlanPending",),
    ),
    _Project(
        ("InstallPlan.operators.coreos.com",),
        "operator-framework/api pkg/operators/v1alpha1/installplan_types.go",
        required=("Resolved", "Installed"),
    ),
    _Project(
        ("ClusterExtension.olm.operatorframework.io", "ClusterCatalog.olm.operatorframework.io"),
        "operator-framework/operator-controller api/v1/clusterextension_types.go, clustercatalog_types.go",
        wanted=("Installed", "Serving"),
        remarks=("Deprecated", "PackageDeprecated", "ChannelDeprecated", "BundleDeprecated"),
    ),
    _Project(
        ("Service.serving.knative.dev", "Configuration.serving.knative.dev", "Route.serving.knative.dev"),
        "knative/serving pkg/apis/serving/v1/service_types.go, route_types.go",
        wanted=(
            *("ConfigurationsReady", "RoutesReady", "AllTrafficAssigned", "IngressReady"),
            "CertificateProvisioned",
        ),
    ),
    _Project(
        ("Revision.serving.knative.dev",),
        "knative/serving pkg/apis/serving/v1/revision_types.go: Active is False if it is scaled to zero",
        wanted=("ContainerHealthy", "ResourcesAvailable"),
        remarks=("Active",),
    ),
    _Project(
        ("Cluster.postgresql.cnpg.io",),
        "cloudnative-pg api/v1/cluster_types.go",
        required=("ContinuousArchiving", "LastBackupSucceeded"),
        wanted=("Initialized", "ConsistentSystemID"),
    ),
    _Project(
        (
            *(".source.toolkit.fluxcd.io", ".helm.toolkit.fluxcd.io", ".kustomize.toolkit.fluxcd.io"),
            ".image.toolkit.fluxcd.io",
        ),
        "fluxcd/source-controller api/v1/condition_types.go; helm-controller api/v2/condition_types.go",
        wanted=("ArtifactInStorage",),
        required=("SourceVerified", "Released", "TestSuccess"),
        steps=("ArtifactOutdated",),
        remarks=("Remediated",),
    ),
    _Project(
        ("ApplicationSet.argoproj.io",),
        "argo-cd pkg/apis/application/v1alpha1/applicationset_types.go",
        wanted=("ResourcesUpToDate",),
        required=("ParametersGenerated",),
        troubles=("ErrorOccurred",),
        steps=("RolloutProgressing",),
    ),
    _Project(
        ("EventSource.argoproj.io", "EventBus.argoproj.io", "Sensor.argoproj.io"),
        "argo-events pkg/apis/events/v1alpha1",
        wanted=(
            *("Deployed", "Configured", "SourcesProvided", "DependenciesProvided", "TriggersProvided"),
            "DependenciesDeduplicated",
        ),
    ),
    _Project(
        ("Workload.kueue.x-k8s.io",),
        "kubernetes-sigs/kueue apis/kueue/v1beta1/workload_types.go",
        wanted=("QuotaReserved", "Admitted", "PodsReady"),
        troubles=("DeactivationTarget",),
        remarks=("Evicted", "Preempted", "Requeued"),
    ),
    _Project(
        ("JobSet.jobset.x-k8s.io",),
        "kubernetes-sigs/jobset api/jobset/v1alpha2/jobset_types.go",
        steps=("StartupPolicyInProgress",),
        remarks=("StartupPolicyCompleted",),
    ),
    _Project(
        ("LeaderWorkerSet.leaderworkerset.x-k8s.io",),
        "kubernetes-sigs/lws api/leaderworkerset/v1/leaderworkerset_types.go",
        steps=("UpdateInProgress",),
    ),
    _Project(
        (".kubeflow.org",),
        "kubeflow/trainer pkg/apis/kubeflow.org/v1/common_types.go: steps that follow one another",
        steps=("Restarting",),
        remarks=("Created", "Running"),
    ),
    _Project(
        (".ray.io",),
        "ray-project/kuberay ray-operator/apis/ray/v1/raycluster_types.go, rayservice_types.go",
        wanted=("RayClusterProvisioned", "HeadPodReady"),
        troubles=("RayClusterReplicaFailure",),
        steps=("UpgradeInProgress",),
        holds=("RayClusterSuspended",),
        remarks=("RayClusterSuspending",),
    ),
    _Project(
        (
            *(".cluster.x-k8s.io", ".controlplane.cluster.x-k8s.io", ".bootstrap.cluster.x-k8s.io"),
            ".infrastructure.cluster.x-k8s.io",
        ),
        "kubernetes-sigs/cluster-api api/core/v1beta2; api/core/v1beta1/condition_consts.go",
        wanted=(
            *("InfrastructureReady", "ControlPlaneReady", "ControlPlaneInitialized", "BootstrapReady"),
            *("ControlPlaneAvailable", "WorkersAvailable", "RemoteConnectionProbe", "TopologyReconciled"),
            *("NodeHealthy", "NodeReady", "NodesHealthy", "MachinesReady", "MachinesCreated", "Resized"),
            *("UpToDate", "MachinesUpToDate", "ControlPlaneMachinesReady", "WorkerMachinesReady"),
            *("ControlPlaneMachinesUpToDate", "WorkerMachinesUpToDate", "CertificatesAvailable"),
            *("EtcdClusterHealthy", "ControlPlaneComponentsHealthy", "Initialized", "BootstrapConfigReady"),
        ),
        required=("HealthCheckSucceeded",),
        steps=("Remediating", "RollingOut"),
        waits=("ExternallyRemediated",),
        remarks=("OwnerRemediated",),
    ),
    _Project(
        (".crossplane.io", ".upbound.io"),
        "crossplane-runtime apis/common/v1/condition.go; crossplane/upjet pkg/resource/conditions.go",
        required=("LastAsyncOperation", "ValidPipeline"),
        wanted=("Responsive", "RevisionHealthy", "RuntimeHealthy"),
        remarks=("AsyncOperation",),
    ),
    _Project(
        (".ceph.rook.io",),
        "rook pkg/apis/ceph.rook.io/v1/types.go (ConditionType)",
        steps=("Connecting",),
        waits=("DeletionIsBlocked", "PoolDeletionIsBlocked"),
        wanted=("Connected",),
        remarks=("ObjectHasNoDependents", "PoolIsEmpty"),
    ),
    _Project(
        ("Volume.longhorn.io", "Replica.longhorn.io", "Engine.longhorn.io"),
        "longhorn/longhorn-manager k8s/pkg/apis/longhorn/v1beta2",
        required=("Scheduled", "InstanceCreation"),
        troubles=("FilesystemReadOnly",),
        waits=("WaitForBackingImage",),
        remarks=("Restore", "TooManySnapshots", "OfflineRebuilding"),
    ),
    _Project(
        ("Node.longhorn.io",),
        "longhorn/longhorn-manager k8s/pkg/apis/longhorn/v1beta2/node.go",
        required=(
            *("Schedulable", "MountPropagation", "RequiredPackages", "NFSClientInstalled", "Multipathd"),
            "KernelModulesLoaded",
        ),
        remarks=("HugePagesAvailable",),
    ),
    _Project(
        ("HelmChart.helm.cattle.io",),
        "k3s-io/helm-controller pkg/apis/helm.cattle.io/v1/types.go",
        remarks=("JobCreated",),
    ),
    _Project(
        ("ClusterVersion.config.openshift.io",),
        "openshift/api config/v1/types_cluster_version.go",
        required=("RetrievedUpdates", "ReleaseAccepted"),
        troubles=("Invalid",),
        remarks=("ImplicitlyEnabledCapabilities",),
    ),
    _Project(
        ("ClusterOperator.config.openshift.io",),
        "openshift/api config/v1/types_cluster_operator.go; cluster-etcd-operator, insights-operator",
        remarks=("EvaluationConditionsDetected", "RecentBackup", "Disabled", "ClusterTransferAvailable"),
    ),
    _Project(
        ("MachineConfigPool.machineconfiguration.openshift.io",),
        "openshift/api machineconfiguration/v1/types.go",
        wanted=("Updated",),
        steps=("Updating",),
        troubles=("NodeDegraded", "RenderDegraded", "PinnedImageSetsDegraded"),
    ),
    _Project(
        (".k8s.elastic.co",),
        "elastic/cloud-on-k8s pkg/apis/elasticsearch/v1/elasticsearch_types.go (conditions)",
        wanted=("ReconciliationComplete", "RunningDesiredVersion", "ElasticsearchIsReachable"),
        remarks=("ResourcesAwareManagement",),
    ),
    _Project(
        ("RabbitmqCluster.rabbitmq.com",),
        "rabbitmq/cluster-operator internal/status/status.go",
        wanted=("AllReplicasReady", "ClusterAvailable"),
        required=("ReconcileSuccess",),
    ),
    _Project(
        (".integreatly.org",),
        "grafana/grafana-operator controllers (condition constants)",
        required=(
            *("DashboardSynchronized", "DatasourceSynchronized", "FolderSynchronized"),
            *("AlertGroupSynchronized", "ContactPointSynchronized", "LibraryPanelSynchronized"),
        ),
        wanted=("GrafanaReady",),
        troubles=("NoMatchingInstance", "NoMatchingFolder"),
    ),
    _Project(
        (".k8s.keycloak.org",),
        "keycloak operator/src/main/java/org/keycloak/operator/crds/v2alpha1",
        wanted=("Done",),
        troubles=("HasErrors",),
        steps=("RollingUpdate", "Started"),
        remarks=("RecreateUpdateUsed", "UpdateType"),
    ),
    _Project(
        ("Canary.flagger.app",),
        "fluxcd/flagger pkg/apis/flagger/v1beta1/status.go: Unknown while it analyses",
        required=("Promoted",),
    ),
    _Project(
        ("ScaledObject.keda.sh", "ScaledJob.keda.sh"),
        "kedacore/keda apis/keda/v1alpha1/condition_types.go",
        holds=("Paused",),
    ),
    _Project(
        ("CiliumLoadBalancerIPPool.cilium.io",),
        "cilium pkg/k8s/apis/cilium.io/v2/lbipam_types.go: the counts have status Unknown",
        troubles=("cilium.io/PoolConflict",),
        remarks=("cilium.io/IPsTotal", "cilium.io/IPsAvailable", "cilium.io/IPsUsed"),
    ),
    _Project(
        (".services.k8s.aws",),
        "aws-controllers-k8s/runtime apis/core/v1alpha1/conditions.go",
        wanted=("ACK.ResourceSynced", "ACK.LateInitialized", "ACK.ReferencesResolved"),
        troubles=("ACK.Terminal",),
        waits=("ACK.Recoverable",),
        remarks=("ACK.Advisory", "ACK.Adopted", "ACK.IAMRoleSelected"),
    ),
    _Project(
        ("NodeNetworkConfigurationPolicy.nmstate.io", "NodeNetworkConfigurationEnactment.nmstate.io"),
        "nmstate/kubernetes-nmstate api/shared/condition.go",
        steps=("Pending",),
        holds=("Aborted",),
        remarks=("Ignored",),
    ),
    _Project(
        (".cluster.open-cluster-management.io", ".work.open-cluster-management.io"),
        "open-cluster-management-io/api cluster/v1/types.go, cluster/v1beta1/types_placement.go",
        wanted=("ManagedClusterConditionAvailable", "ManagedClusterJoined", "PlacementSatisfied", "Applied"),
        required=("HubAcceptedManagedCluster",),
        troubles=("PlacementMisconfigured",),
    ),
    _Project(
        (".karmada.io",),
        "karmada-io/karmada pkg/apis/work/v1alpha2/binding_types.go, work/v1alpha1/work_types.go",
        wanted=("Scheduled", "FullyApplied", "Applied"),
    ),
    _Project(
        (".fleet.cattle.io",),
        "rancher/fleet pkg/apis/fleet.cattle.io/v1alpha1",
        wanted=("Accepted", "Deployed", "Processed", "Monitored", "Installed"),
        remarks=("GitPolling", "Created"),
    ),
    _Project(
        (".secrets.hashicorp.com",),
        "hashicorp/vault-secrets-operator api/v1beta1; controllers/conditions.go",
        wanted=("SecretSynced",),
        required=("VaultAuthMethodValid",),
        remarks=("RolloutRestartTriggered",),
    ),
    _Project(
        ("StorageVersionMigration.storagemigration.k8s.io",),
        "kubernetes staging/src/k8s.io/api/storagemigration/v1beta1/types.go",
        steps=("Running",),
    ),
    _Project(
        ("PodCertificateRequest.certificates.k8s.io",),
        "kubernetes staging/src/k8s.io/api/certificates/v1beta1/types.go",
        wanted=("Issued",),
        remarks=("SuggestedKeyType",),
    ),
)


def _list_rows(project: _Project) -> Iterator[Meaning]:
    told: tuple[tuple[tuple[str, ...], Tone, Tone], ...] = (
        (project.wanted, "well", "waits"),
        (project.required, "well", "ill"),
        (project.troubles, "ill", "nothing"),
        (project.steps, "moves", "nothing"),
        (project.waits, "waits", "nothing"),
        (project.holds, "held", "nothing"),
        (project.remarks, "nothing", "nothing"),
    )
    for types, true, false in told:
        if types:
            yield Meaning(types, true, false, project.source, project.kinds)


OF_PROJECTS: tuple[Meaning, ...] = tuple(row for project in _PROJECTS for row in _list_rows(project))
