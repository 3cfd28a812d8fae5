"""Event reasons and containers' waiting reasons → their operation, for messages that do not contain it.

Sources: pkg/kubelet/events/event.go, pkg/kubelet/container/sync_result.go, pkg/kubelet/images/types.go (1.34), older names from 1.5 on.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.facts.vocabulary.failures import Operation

OPERATION_OF_REASON: Mapping[str, Operation] = MappingProxyType[str, Operation](
    {
        "FailedMount": "volume-set-up",
        "FailedMapVolume": "volume-set-up",
        "FailedAttachVolume": "volume-attach",
        "FailedDetachVolume": "volume-detach",
        "FailedUnMount": "volume-tear-down",
        "FailedCreatePodSandBox": "sandbox-create",
        "FailedCreatePodSandbox": "sandbox-create",
        "FailedPodSandBoxStatus": "sync",
        "ErrImagePull": "image-pull",
        "ImagePullBackOff": "image-pull",
        "ErrImageNeverPull": "image-pull",
        "InvalidImageName": "image-pull",
        "ImageInspectError": "image-inspect",
        "SignatureValidationFailed": "image-pull",
        "RegistryUnavailable": "image-pull",
        "CreateContainerConfigError": "container-create",
        "CreateContainerError": "container-create",
        "RunContainerError": "container-start",
        "StartError": "container-start",
        "ContainerCannotRun": "container-start",
        "PostStartHookError": "post-start",
        "FailedPostStartHook": "post-start",
        "FailedPreStopHook": "pre-stop",
        "KillContainerError": "container-stop",
        "KillPodSandboxError": "sandbox-stop",
        "FailedKillPod": "container-stop",
        "FailedSync": "sync",
        "FailedScheduling": "schedule",
        "ProvisioningFailed": "volume-provision",
        "FailedPrepareDynamicResources": "resources-prepare",
        "FailedCreate": "pod-create",
        "KubeletNotReady": "node-ready",
    }
)

# Reasons whose message is always the failure itself: a message that no pattern reads is quoted unchanged.
SAYS_ITSELF = frozenset(
    {
        "FailedMount",
        "FailedMapVolume",
        "FailedAttachVolume",
        "FailedCreatePodSandBox",
        "FailedCreatePodSandbox",
        "ErrImagePull",
        "ImagePullBackOff",
        "ImageInspectError",
        "RegistryUnavailable",
        "SignatureValidationFailed",
        "CreateContainerConfigError",
        "CreateContainerError",
        "RunContainerError",
        "StartError",
        "ContainerCannotRun",
        "FailedCreate",
        "KubeletNotReady",
    }
)

# Reasons that are the failure, with or without words: the kubelet writes them for nothing else, and its newer words are few.
TELLS_ALONE = frozenset({"PostStartHookError", "FailedPostStartHook"})
HOOKS: frozenset[Operation] = frozenset({"post-start", "pre-stop"})
