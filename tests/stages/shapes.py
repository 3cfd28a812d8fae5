"""Healthy objects of well-known projects, as their controllers leave them; and the answer about one object."""

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


def c(type_: str, status: str = "True", reason: str = "", **more: str) -> dict[str, str]:
    """A condition that has been so for long."""
    return {
        "type": type_,
        "status": status,
        "reason": reason or type_,
        "message": "",
        "lastTransitionTime": AGO,
    } | more


def shape(api: str, kind: str, status: Mapping[str, Any], **spec: Any) -> dict[str, Any]:
    """An object of long ago, which its controller has looked at."""
    meta = {"name": "x", "namespace": "shop", "uid": "u-1", "generation": 3, "creationTimestamp": AGO}
    return {"apiVersion": api, "kind": kind, "metadata": meta, "spec": spec, "status": dict(status)}


def conditions(*rows: dict[str, str], **more: Any) -> dict[str, Any]:
    """A status of conditions."""
    return {"conditions": [*rows], **more}


_PARENT = {"parentRef": {"name": "edge"}, "controllerName": "example.com/gw"}

HEALTHY: tuple[dict[str, Any], ...] = (
    shape(
        "cert-manager.io/v1",
        "Certificate",
        conditions(c("Ready"), notAfter="2027-01-01T00:00:00Z", revision=1),
    ),
    shape("cert-manager.io/v1", "CertificateRequest", conditions(c("Approved"), c("Ready", reason="Issued"))),
    shape("cert-manager.io/v1", "ClusterIssuer", conditions(c("Ready", reason="ACMEAccountRegistered"))),
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
        conditions(
            c("Available"),
            c("Progressing", reason="NewReplicaSetAvailable"),
            c("Healthy"),
            c("Completed"),
            phase="Healthy",
        ),
        replicas=3,
    ),
    shape(
        "argoproj.io/v1alpha1",
        "Workflow",
        conditions(c("PodRunning", "False"), c("Completed"), phase="Succeeded", progress="3/3"),
    ),
    shape(
        "kustomize.toolkit.fluxcd.io/v1",
        "Kustomization",
        conditions(c("Ready", reason="ReconciliationSucceeded"), observedGeneration=3),
    ),
    shape(
        "helm.toolkit.fluxcd.io/v2",
        "HelmRelease",
        conditions(
            c("Ready", reason="UpgradeSucceeded"), c("Released"), c("TestSuccess"), observedGeneration=3
        ),
        suspend=False,
    ),
    shape(
        "source.toolkit.fluxcd.io/v1",
        "GitRepository",
        conditions(c("Ready"), c("ArtifactInStorage"), observedGeneration=3),
    ),
    shape(
        "serving.knative.dev/v1",
        "Service",
        conditions(c("ConfigurationsReady"), c("Ready"), c("RoutesReady"), observedGeneration=3),
    ),
    shape(
        "serving.knative.dev/v1",
        "Revision",
        conditions(
            c("Active", "False", "NoTraffic", severity="Info"),
            c("ContainerHealthy"),
            c("Ready"),
            c("ResourcesAvailable"),
        ),
    ),
    shape(
        "cluster.x-k8s.io/v1beta1",
        "Cluster",
        conditions(
            c("Ready"),
            c("ControlPlaneInitialized"),
            c("InfrastructureReady"),
            phase="Provisioned",
            observedGeneration=3,
        ),
        paused=False,
    ),
    shape(
        "cluster.x-k8s.io/v1beta2",
        "Machine",
        conditions(
            c("Available"),
            c("Ready"),
            c("UpToDate"),
            c("NodeReady"),
            c("Paused", "False"),
            c("Deleting", "False"),
            phase="Running",
        ),
    ),
    shape(
        "kafka.strimzi.io/v1beta2",
        "Kafka",
        conditions(c("Warning", reason="DeprecatedFields"), c("Ready"), observedGeneration=3),
    ),
    shape("kafka.strimzi.io/v1beta2", "KafkaTopic", conditions(c("Ready"), observedGeneration=3)),
    shape(
        "s3.aws.upbound.io/v1beta1",
        "Bucket",
        conditions(c("Synced"), c("Ready", reason="Available"), c("LastAsyncOperation")),
    ),
    shape(
        "pkg.crossplane.io/v1",
        "Provider",
        conditions(c("Healthy"), c("Installed", reason="ActivePackageRevision")),
    ),
    shape(
        "apiextensions.crossplane.io/v1",
        "CompositeResourceDefinition",
        conditions(c("Established", reason="WatchingCompositeResource")),
    ),
    shape(
        "keda.sh/v1alpha1",
        "ScaledObject",
        conditions(c("Ready"), c("Active", "False"), c("Fallback", "False"), c("Paused", "Unknown")),
    ),
    shape("tekton.dev/v1", "PipelineRun", conditions(c("Succeeded", reason="Completed"))),
    shape("tekton.dev/v1", "Task", {}),
    shape(
        "external-secrets.io/v1",
        "ExternalSecret",
        conditions(c("Ready", reason="SecretSynced"), syncedResourceVersion="1"),
    ),
    shape(
        "monitoring.coreos.com/v1", "Prometheus", conditions(c("Available"), c("Reconciled"), paused=False)
    ),
    shape("monitoring.coreos.com/v1", "ServiceMonitor", {}),
    shape("velero.io/v1", "Backup", {"phase": "Completed", "progress": {"itemsBackedUp": 9}}),
    shape(
        "postgresql.cnpg.io/v1",
        "Cluster",
        conditions(c("Ready"), c("ContinuousArchiving"), phase="Cluster in healthy state"),
    ),
    shape(
        "ceph.rook.io/v1",
        "CephCluster",
        conditions(c("Ready"), phase="Ready", state="Created", ceph={"health": "HEALTH_OK"}),
    ),
    shape(
        "longhorn.io/v1beta2",
        "Volume",
        conditions(
            c("Restore", "False"),
            c("Scheduled"),
            c("TooManySnapshots", "False"),
            state="attached",
            robustness="healthy",
        ),
    ),
    shape(
        "gateway.networking.k8s.io/v1",
        "Gateway",
        conditions(
            c("Accepted"),
            c("Programmed"),
            listeners=[
                {
                    "name": "http",
                    **conditions(c("Accepted"), c("Programmed"), c("ResolvedRefs"), c("Conflicted", "False")),
                }
            ],
        ),
    ),
    shape(
        "gateway.networking.k8s.io/v1",
        "HTTPRoute",
        {"parents": [{**_PARENT, **conditions(c("Accepted"), c("ResolvedRefs"))}]},
    ),
    shape(
        "karpenter.sh/v1",
        "NodeClaim",
        conditions(c("Launched"), c("Registered"), c("Initialized"), c("Ready"), c("Drifted", "False")),
    ),
    shape(
        "kubevirt.io/v1",
        "VirtualMachine",
        conditions(c("Ready"), c("LiveMigratable", "False"), printableStatus="Running"),
        running=True,
    ),
    shape(
        "config.openshift.io/v1",
        "ClusterOperator",
        conditions(c("Degraded", "False"), c("Progressing", "False"), c("Available")),
    ),
    shape(
        "operator.tigera.io/v1",
        "TigeraStatus",
        conditions(c("Available"), c("Progressing", "False"), c("Degraded", "False")),
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
    shape("kyverno.io/v1", "ClusterPolicy", conditions(c("Ready", reason="Succeeded"))),
    shape("networking.istio.io/v1", "VirtualService", {}),
    shape("example.com/v1", "Widget", {}),
)


NOW = datetime(2026, 11, 21, 3, 0, 0, tzinfo=UTC)


def asked(obj: dict[str, Any]) -> Diagnosis:
    """Ask about one object, of which nothing else is known."""
    ref = ref_of(obj)
    assert ref is not None
    return diagnose(ref, Snapshot(facts_of(obj, "/apis/x", NOW), NOW), list_causes())
