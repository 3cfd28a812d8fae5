"""The stages of a Pod, a Namespace or any other object."""

from __future__ import annotations

from typing import Literal

# The stages of a Pod's start, in order.
StartStage = Literal[
    "admitted",
    "gates-lifted",
    "scheduled",
    "kubelet-accepted",
    "devices-and-volumes-prepared",
    "sandbox-and-network",
    "init-done",
    "images-pulled",
    "containers-created",
    "started",
    "ready",
    "stays-up",
]

# The stages of a Pod's deletion, in order.
EndStage = Literal[
    "requested",
    "kubelet-saw-it",
    "grace-over",
    "containers-stopped",
    "sandbox-stopped",
    "phase-reported",
    "volumes-unmounted",
    "cgroup-removed",
    "final-delete",
    "finalizers-cleared",
    "gone",
]

# The stages of a Namespace's deletion after `requested`; any other object has only its stages of `EndStage`.
NamespaceStage = Literal["discovery-works", "pods-gone", "content-deleted", "content-finalizers-cleared"]

StageId = StartStage | EndStage | NamespaceStage
