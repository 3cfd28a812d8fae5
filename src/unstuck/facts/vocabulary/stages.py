"""The stages that a Pod, a Namespace or any other object goes through."""

from __future__ import annotations

from typing import Literal

# A Pod that starts, in this order.
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

# A Pod that is deleted, in this order.
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

# A deleted Namespace goes through these after `requested`; any other object only through the stages of
# `EndStage` that it has.
NamespaceStage = Literal["discovery-works", "pods-gone", "content-deleted", "content-finalizers-cleared"]

StageId = StartStage | EndStage | NamespaceStage
