"""Kinds of objects that are asked about together."""

from __future__ import annotations

# Whatever makes Pods: what keeps these from being admitted is told of them, as no Pod is there to be told of.
CREATORS = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job", "CronJob")
# Webhooks by their own names: of admission, and of a CustomResourceDefinition's conversion. No object bears such a kind.
WEBHOOKS = ("Webhook", "ConversionWebhook")
# Into the status of which kube-controller-manager writes a condition at its first look (pkg/controller/podautoscaler, disruption).
WRITTEN_BY_THE_MANAGER = ("HorizontalPodAutoscaler", "PodDisruptionBudget")
