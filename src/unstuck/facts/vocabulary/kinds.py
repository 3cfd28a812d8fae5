"""Kinds of objects that are asked about together."""

from __future__ import annotations

# Kinds that create Pods: if the Pods are not admitted, the fault is reported about these, as there is no Pod.
CREATORS = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job", "CronJob")
# Webhooks by their own names: of admission, and of a CustomResourceDefinition's conversion. No object bears
# such a kind.
WEBHOOKS = ("Webhook", "ConversionWebhook")
# Objects of the whole cluster that others choose by their name.
CLASSES = ("IngressClass", "RuntimeClass", "PriorityClass", "VolumeAttributesClass")
# The objects that have admission webhooks.
WEBHOOK_CONFIGURATIONS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
# Kinds to whose status kube-controller-manager writes a condition at its first look
# (pkg/controller/podautoscaler, disruption).
WRITTEN_BY_THE_MANAGER = ("HorizontalPodAutoscaler", "PodDisruptionBudget")
# Kinds whose status is empty until its controllers have looked at the object (pkg/controller/deployment,
# job).
EMPTY_AT_FIRST = ("Deployment", "Job")
# Whom a Job's `spec.managedBy` leaves to Kubernetes' own controller (batch/v1, JobControllerName).
JOB_CONTROLLER = "kubernetes.io/job-controller"
