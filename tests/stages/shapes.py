"""Healthy objects of well-known projects, in their controllers' final form; and the answer about one
object.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from unstuck.collect.objects import facts_of
from unstuck.collect.objects.kinds import ref_of
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import diagnose, list_causes
from unstuck.facts.snapshot import Snapshot

AGO = "2026-11-20T02:00:00Z"


def make_condition(type_: str, status: str = "True", reason: str = "", **more: str) -> dict[str, str]:
    """Return a long unchanged condition."""
    return {
        "type": type_,
        "status": status,
        "reason": reason or type_,
        "message": "",
        "lastTransitionTime": AGO,
    } | more


def shape(api: str, kind: str, status: Mapping[str, Any], **spec: Any) -> dict[str, Any]:
    """Return an old object, observed by its controller."""
    meta = {"name": "x", "namespace": "shop", "uid": "u-1", "generation": 3, "creationTimestamp": AGO}
    return {"apiVersion": api, "kind": kind, "metadata": meta, "spec": spec, "status": dict(status)}


def make_status(*rows: dict[str, str], **more: Any) -> dict[str, Any]:
    """Return a status with conditions."""
    return {"conditions": [*rows], **more}


_PARENT = {"parentRef": {"name": "edge"}, "controllerName": "example.com/gw"}

HEALTHY: tuple[dict[str, Any], ...] = (
    shape(
        "cert-manager.io/v1",
        "Certificate",
        make_status(make_condition("Ready"), notAfter="2027-01-01T00:00:00Z", revision=1),
    ),
    shape(
        "cert-manager.io/v1",
        "CertificateRequest",
        make_status(make_condition("Approved"), make_condition("Ready", reason="Issued")),
    ),
    shape(
        "cert-manager.io/v1",
        "ClusterIssuer",
        make_status(make_condition("Ready", reason="ACMEAccountRegistered")),
    ),
    shape("acme.cert-manager.io/v1", "Order", {"state": "valid"}),
    shape(
        "argoproj.io/v1alpha1",
        "Application",
        {
            "health": {"status": "Healthy"},
            "sync": {"status": "Synced"},
            "operationState": {"phase": "Succeeded", "message": "successfully synced"},
            "conditions": [
                {"type": "OrphanedResourceWarning", "message": "1 orphaned", "lastTransitionTime": AGO}
            ],
        },
    ),
    shape(
        "argoproj.io/v1alpha1",
        "Rollout",
        make_status(
            make_condition("Available"),
            make_condition("Progressing", reason="NewReplicaSetAvailable"),
            make_condition("Healthy"),
            make_condition("Completed"),
            phase="Healthy",
        ),
        replicas=3,
    ),
    shape(
        "argoproj.io/v1alpha1",
        "Workflow",
        make_status(
            make_condition("PodRunning", "False"),
            make_condition("Completed"),
            phase="Succeeded",
            progress="3/3",
        ),
    ),
    shape(
        "kustomize.toolkit.fluxcd.io/v1",
        "Kustomization",
        make_status(make_condition("Ready", reason="ReconciliationSucceeded"), observedGeneration=3),
    ),
    shape(
        "helm.toolkit.fluxcd.io/v2",
        "HelmRelease",
        make_status(
            make_condition("Ready", reason="UpgradeSucceeded"),
            make_condition("Released"),
            make_condition("TestSuccess"),
            observedGeneration=3,
        ),
        suspend=False,
    ),
    shape(
        "source.toolkit.fluxcd.io/v1",
        "GitRepository",
        make_status(make_condition("Ready"), make_condition("ArtifactInStorage"), observedGeneration=3),
    ),
    shape(
        "serving.knative.dev/v1",
        "Service",
        make_status(
            make_condition("ConfigurationsReady"),
            make_condition("Ready"),
            make_condition("RoutesReady"),
            observedGeneration=3,
        ),
    ),
    shape(
        "serving.knative.dev/v1",
        "Revision",
        make_status(
            make_condition("Active", "False", "NoTraffic", severity="Info"),
            make_condition("ContainerHealthy"),
            make_condition("Ready"),
            make_condition("ResourcesAvailable"),
        ),
    ),
    shape(
        "cluster.x-k8s.io/v1beta1",
        "Cluster",
        make_status(
            make_condition("Ready"),
            make_condition("ControlPlaneInitialized"),
            make_condition("InfrastructureReady"),
            phase="Provisioned",
            observedGeneration=3,
        ),
        paused=False,
    ),
    shape(
        "cluster.x-k8s.io/v1beta2",
        "Machine",
        make_status(
            make_condition("Available"),
            make_condition("Ready"),
            make_condition("UpToDate"),
            make_condition("NodeReady"),
            make_condition("Paused", "False"),
            make_condition("Deleting", "False"),
            phase="Running",
        ),
    ),
    shape(
        "kafka.strimzi.io/v1beta2",
        "Kafka",
        make_status(
            make_condition("Warning", reason="DeprecatedFields"),
            make_condition("Ready"),
            observedGeneration=3,
        ),
    ),
    shape(
        "kafka.strimzi.io/v1beta2", "KafkaTopic", make_status(make_condition("Ready"), observedGeneration=3)
    ),
    shape(
        "s3.aws.upbound.io/v1beta1",
        "Bucket",
        make_status(
            make_condition("Synced"),
            make_condition("Ready", reason="Available"),
            make_condition("LastAsyncOperation"),
        ),
    ),
    shape(
        "pkg.crossplane.io/v1",
        "Provider",
        make_status(make_condition("Healthy"), make_condition("Installed", reason="ActivePackageRevision")),
    ),
    shape(
        "apiextensions.crossplane.io/v1",
        "CompositeResourceDefinition",
        make_status(make_condition("Established", reason="WatchingCompositeResource")),
    ),
    shape(
        "keda.sh/v1alpha1",
        "ScaledObject",
        make_status(
            make_condition("Ready"),
            make_condition("Active", "False"),
            make_condition("Fallback", "False"),
            make_condition("Paused", "Unknown"),
        ),
    ),
    shape("tekton.dev/v1", "PipelineRun", make_status(make_condition("Succeeded", reason="Completed"))),
    shape("tekton.dev/v1", "Task", {}),
    shape(
        "external-secrets.io/v1",
        "ExternalSecret",
        make_status(make_condition("Ready", reason="SecretSynced"), syncedResourceVersion="1"),
    ),
    shape(
        "monitoring.coreos.com/v1",
        "Prometheus",
        make_status(make_condition("Available"), make_condition("Reconciled"), paused=False),
    ),
    shape("monitoring.coreos.com/v1", "ServiceMonitor", {}),
    shape("velero.io/v1", "Backup", {"phase": "Completed", "progress": {"itemsBackedUp": 9}}),
    shape(
        "postgresql.cnpg.io/v1",
        "Cluster",
        make_status(
            make_condition("Ready"), make_condition("ContinuousArchiving"), phase="Cluster in healthy state"
        ),
    ),
    shape(
        "ceph.rook.io/v1",
        "CephCluster",
        make_status(make_condition("Ready"), phase="Ready", state="Created", ceph={"health": "HEALTH_OK"}),
    ),
    shape(
        "longhorn.io/v1beta2",
        "Volume",
        make_status(
            make_condition("Restore", "False"),
            make_condition("Scheduled"),
            make_condition("TooManySnapshots", "False"),
            state="attached",
            robustness="healthy",
        ),
    ),
    shape(
        "gateway.networking.k8s.io/v1",
        "Gateway",
        make_status(
            make_condition("Accepted"),
            make_condition("Programmed"),
            listeners=[
                {
                    "name": "http",
                    **make_status(
                        make_condition("Accepted"),
                        make_condition("Programmed"),
                        make_condition("ResolvedRefs"),
                        make_condition("Conflicted", "False"),
                    ),
                }
            ],
        ),
    ),
    shape(
        "gateway.networking.k8s.io/v1",
        "HTTPRoute",
        {"parents": [{**_PARENT, **make_status(make_condition("Accepted"), make_condition("ResolvedRefs"))}]},
    ),
    shape(
        "karpenter.sh/v1",
        "NodeClaim",
        make_status(
            make_condition("Launched"),
            make_condition("Registered"),
            make_condition("Initialized"),
            make_condition("Ready"),
            make_condition("Drifted", "False"),
        ),
    ),
    shape(
        "kubevirt.io/v1",
        "VirtualMachine",
        make_status(
            make_condition("Ready"), make_condition("LiveMigratable", "False"), printableStatus="Running"
        ),
        running=True,
    ),
    shape(
        "config.openshift.io/v1",
        "ClusterOperator",
        make_status(
            make_condition("Degraded", "False"),
            make_condition("Progressing", "False"),
            make_condition("Available"),
        ),
    ),
    shape(
        "operator.tigera.io/v1",
        "TigeraStatus",
        make_status(
            make_condition("Available"),
            make_condition("Progressing", "False"),
            make_condition("Degraded", "False"),
        ),
    ),
    shape(
        "elasticsearch.k8s.elastic.co/v1",
        "Elasticsearch",
        {"health": "green", "phase": "Ready", "observedGeneration": 3},
    ),
    shape(
        "snapshot.storage.k8s.io/v1",
        "VolumeSnapshot",
        {"readyToUse": True, "boundVolumeSnapshotContentName": "c"},
    ),
    shape("kyverno.io/v1", "ClusterPolicy", make_status(make_condition("Ready", reason="Succeeded"))),
    shape("networking.istio.io/v1", "VirtualService", {}),
    shape("example.com/v1", "Widget", {}),
)


NOW = datetime(2026, 11, 21, 3, 0, 0, tzinfo=UTC)


def asked(obj: dict[str, Any]) -> Diagnosis:
    """Return the answer about one object alone."""
    ref = ref_of(obj)
    assert ref is not None
    return diagnose(ref, Snapshot(facts_of(obj, "/apis/x", NOW), NOW), list_causes())
