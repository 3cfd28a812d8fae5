"""Groups of kinds."""

from __future__ import annotations

# Kinds that create Pods: if Pods are not admitted, the fault is reported about their creator.
CREATORS = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job", "CronJob")
# Webhooks by their own names: of admission, and of a CustomResourceDefinition's conversion. No API object has
# such a kind.
WEBHOOKS = ("Webhook", "ConversionWebhook")
# Cluster-scoped objects that others choose by name.
CLASSES = ("Namespace", "IngressClass", "RuntimeClass", "PriorityClass", "VolumeAttributesClass")
# Objects without a status of their own that a Pod's spec names, in its Namespace.
NAMED_BY_PODS = ("ConfigMap", "Secret", "ServiceAccount")
# Objects that apply to others, which wait for what they say.
APPLIED_TO_OTHERS = (
    *("StorageClass", "IngressClass", "PriorityClass", "RuntimeClass"),
    *("ResourceQuota", "LimitRange"),
)
# The objects that have admission webhooks.
WEBHOOK_CONFIGURATIONS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
# Routes of the Gateway API.
ROUTES = tuple(
    f"{kind}.gateway.networking.k8s.io"
    for kind in ("HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute")
)
# Kinds that get a condition from kube-controller-manager at its first look (pkg/controller/podautoscaler,
# disruption).
WRITTEN_BY_THE_MANAGER = ("HorizontalPodAutoscaler", "PodDisruptionBudget")
# Kinds with an empty status until the controller's first look (pkg/controller/deployment, job).
EMPTY_AT_FIRST = ("Deployment", "Job")
# The value of a Job's `spec.managedBy` for Kubernetes' own controller (batch/v1, JobControllerName).
JOB_CONTROLLER = "kubernetes.io/job-controller"
