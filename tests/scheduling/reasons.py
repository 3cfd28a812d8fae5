"""The possible reasons of the filters of 1.34, and the unreachable ones with an explanation: the basis of
coverage.
"""

from __future__ import annotations

import re

ORDER = (
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
    "DynamicResources",
)

_SPREAD = "node(s) didn't match pod topology spread constraints"

# (plugin, text): names, keys and values stand as …. Texts that begin a longer error end with " …".
KNOWN = (
    ("NodeUnschedulable", "node(s) were unschedulable"),
    ("NodeName", "node(s) didn't match the requested node name"),
    ("TaintToleration", "node(s) had untolerated taint(s)"),
    ("NodeAffinity", "node(s) didn't match Pod's node affinity/selector"),
    ("NodeAffinity", "pod affinity terms conflict"),
    ("NodePorts", "node(s) didn't have free ports for the requested pod ports"),
    ("NodeResourcesFit", "Too many pods"),
    ("NodeResourcesFit", "Insufficient cpu"),
    ("NodeResourcesFit", "Insufficient memory"),
    ("NodeResourcesFit", "Insufficient ephemeral-storage"),
    ("NodeResourcesFit", "Insufficient example.com/gpu"),
    ("NodeResourcesFit", "Insufficient hugepages-2Mi"),
    ("NodeResourcesFit", "Insufficient attachable-volumes-aws-ebs"),
    ("NodeResourcesFit", "Insufficient kubernetes.io/batch-cpu"),
    ("VolumeRestrictions", "node(s) had no available disk"),
    (
        "VolumeRestrictions",
        (
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
            "in-use by another pod"
        ),
    ),
    ("VolumeRestrictions", "persistentvolumeclaim … not found"),
    ("NodeVolumeLimits", "node(s) exceed max volume count"),
    ("NodeVolumeLimits", "looking up PVC …: persistentvolumeclaim … not found"),
    ("NodeVolumeLimits", "PVC … was not created for pod … (pod is not owner)"),
    ("VolumeBinding", "node(s) didn't match PersistentVolume's node affinity"),
    ("VolumeBinding", "node(s) didn't find available persistent volumes to bind"),
    ("VolumeBinding", "node(s) did not have enough free storage"),
    ("VolumeBinding", "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"),
    ("VolumeBinding", "pod has unbound immediate PersistentVolumeClaims"),
    ("VolumeBinding", "persistentvolumeclaim … not found"),
    ("VolumeBinding", "persistentvolumeclaim … is being deleted"),
    ("VolumeBinding", "persistentvolumeclaim … bound to non-existent persistentvolume …"),
    ("VolumeBinding", "waiting for ephemeral volume controller to create the persistentvolumeclaim …"),
    ("VolumeBinding", "PVC … was not created for pod … (pod is not owner)"),
    ("VolumeBinding", "VolumeBindingMode not set for StorageClass …"),
    ("VolumeBinding", "could not translate pv: …"),
    ("VolumeBinding", "failed to find storage class …"),
    ("VolumeBinding", "no class for claim …"),
    ("VolumeZone", "node(s) had no available volume zone"),
    ("VolumeZone", "PersistentVolumeClaim had no name"),
    ("VolumeZone", "PersistentVolumeClaim had no pv name and storageClass name"),
    ("VolumeZone", "VolumeBindingMode not set for StorageClass …"),
    ("VolumeZone", "PersistentVolume had no name"),
    ("VolumeZone", "persistentvolumeclaim … not found"),
    ("VolumeZone", "persistentvolume … not found"),
    ("VolumeZone", "storageclass.storage.k8s.io … not found"),
    ("PodTopologySpread", _SPREAD),
    ("PodTopologySpread", f"{_SPREAD} (missing required label)"),
    ("PodTopologySpread", "get constraints from pod: obtaining pod's hard topology spread constraints: …"),
    ("InterPodAffinity", "node(s) didn't match pod affinity rules"),
    ("InterPodAffinity", "node(s) didn't match pod anti-affinity rules"),
    ("InterPodAffinity", "node(s) didn't satisfy existing pods anti-affinity rules"),
    ("InterPodAffinity", "parsing pod: …"),
    ("DynamicResources", "cannot allocate all claims"),
    ("DynamicResources", "resourceclaim not available on the node"),
    ("DynamicResources", "resourceclaim in use"),
    ("DynamicResources", "request …: device class … does not exist"),
    ("DynamicResources", "class …: selector #0: CEL compile error: …"),
    ("DynamicResources", "class …: selector #0: CEL runtime error: …"),
    ("DynamicResources", "claim …: selector #0: CEL runtime error: …"),
    (
        "DynamicResources",
        "claim …, request …: asks for all devices, but resource pool … is currently being updated",
    ),
    ("DynamicResources", "could not find ResourceClaim …"),
    ("DynamicResources", "pod …: ResourceClaim not created yet"),
    ("DynamicResources", "resourceclaim … is being deleted"),
    ("DynamicResources", "ResourceClaim … was not created for pod … (pod is not owner)"),
    ("DynamicResources", "resource claim … is in the process of being allocated"),
    ("the cycle", "node(s) didn't satisfy plugin(s) …"),
    ("the cycle", "node(s) didn't satisfy plugin …"),
    ("the cycle", "node(s) didn't satisfy plugin(s) … simultaneously"),
    ("the cycle", "no nodes available to schedule pods"),
    ("SchedulingGates", "waiting for scheduling gates: …"),
    ("NodeAffinity", "node(s) didn't match scheduler-enforced node affinity"),
    ("NodeUnschedulable", "node(s) had unknown conditions"),
    ("TaintToleration", "node(s) had taints that the pod didn't tolerate"),
    (
        "NodeResourcesFit",
        "Pod has a restartable init container and the SidecarContainers feature is disabled",
    ),
)

UNREACHABLE = {
    (
        "NodeAffinity",
        "node(s) didn't match scheduler-enforced node affinity",
    ): "only with `addedAffinity` in the scheduler's configuration",
    ("NodeUnschedulable", "node(s) had unknown conditions"): "a constant that 1.34 returns nowhere",
    (
        "TaintToleration",
        "node(s) had taints that the pod didn't tolerate",
    ): "only the kubelet's admission says it",
    (
        "NodeResourcesFit",
        "Pod has a restartable init container and the SidecarContainers feature is disabled",
    ): "the feature cannot be switched off in 1.34",
    (
        "VolumeZone",
        "PersistentVolumeClaim had no name",
    ): "the API server refuses a volume with an empty claimName",
    (
        "VolumeBinding",
        "no class for claim …",
    ): "without a class a claim is bound at once, and refused before that check",
    (
        "VolumeBinding",
        "failed to find storage class …",
    ): "a claim whose class is missing counts as bound at once, and is refused before that check",
    ("DynamicResources", "resourceclaim in use"): "1.34 lets any number of Pods share a claim",
    (
        "DynamicResources",
        "resource claim … is in the process of being allocated",
    ): "between two cycles of a running scheduler only",
    (
        "the cycle",
        "node(s) didn't satisfy plugin …",
    ): "NodeAffinity itself says `pod affinity terms conflict` of an empty set first",
    (
        "the cycle",
        "node(s) didn't satisfy plugin(s) … simultaneously",
    ): "only NodeAffinity narrows the nodes in the default profile",
}

_BEGINNINGS = tuple(text.removesuffix("…") for _, text in KNOWN if text.endswith(": …"))
_NAMED = (
    (re.compile(r'running (PreFilter plugin )?"[^"]*"( filter plugin)?: '), ""),
    (re.compile(r'"[^"]*"'), "…"),
    (re.compile(r"\b(PVC|ResourceClaim|for pod) [a-z0-9.-]+/[a-z0-9.-]+"), r"\1 …"),
    (re.compile(r"\b(class) [a-z]+: selector"), r"\1 …: selector"),
    (re.compile(r"\bclaim [a-z0-9.-]+/[a-z0-9.-]+(?=[:,])"), "claim …"),
    (re.compile(r"\brequest \w+: asks for"), "request …: asks for"),
    (re.compile(r"resource pool \S+ is"), "resource pool … is"),
    (re.compile(r"\brequest [\w/]+: device class \S+"), "request …: device class …"),
    (re.compile(r"plugin\(s\) \[[^\]]*\]"), "plugin(s) …"),
)


def normalise(text: str) -> str:
    """Return a reason without its names."""
    for pattern, by in _NAMED:
        text = pattern.sub(by, text)
    return next((f"{start}…" for start in _BEGINNINGS if text.startswith(start)), text)
