"""What a user must be allowed to read, for each fact type that the API server answers (see `collector.py`, which asks).

Resources and verbs are RBAC's. A ClusterRole is made of this for the causes' `reads` (scripts/rbac.py, charts/unstuck).
Left out on purpose: `list` on Secrets (it would give every value; only names near a missing one are lost), and Kubernetes' kinds that
nobody asks about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from unstuck.collect.objects.kinds import BUILTIN, Kind, builtin
from unstuck.facts.aspects import admission, cluster, limits, objects, pod, protection, pulls, services, storage
from unstuck.facts.aspects.crds import Conversion
from unstuck.facts.aspects.disruption import Evictions
from unstuck.facts.aspects.history import History
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.aspects.refusals import Refusals
from unstuck.facts.aspects.schedulers import SchedulerWork
from unstuck.facts.aspects.stored import LastWrite, Unreadable
from unstuck.facts.core import Fact

Verb = Literal["get", "list"]
ANY = "*"


@dataclass(frozen=True, slots=True, order=True)
class Right:
    """One verb on one resource of an API group ("" is the core group)."""

    group: str
    resource: str
    verb: Verb


def _rights(verb: Verb, *kinds: str) -> frozenset[Right]:
    return frozenset(Right(k.group, k.plural, verb) for k in map(_kind, kinds))


def _kind(name: str) -> Kind:
    found = builtin(name)
    if found is None:
        raise KeyError(name)
    return found


_ADMISSION = "admissionregistration.k8s.io"
_POD = _rights("get", "Pod")
_WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")
_BEHIND = _rights("get", "Service") | _rights("list", "EndpointSlice")
# What may be left in a Namespace, or depend on an owner. Types of CustomResourceDefinitions are for whoever installs them to add.
_ANYTHING = _rights("list", *(k.name for k in BUILTIN if k.name not in ("Secret", "Event")))
# What a Pod names, and what names a Pod.
_NAMED = _rights("get", "ConfigMap", "Secret", "PersistentVolumeClaim", "Node", "StorageClass", "ServiceAccount", "PriorityClass")
_NOTHING: frozenset[Right] = frozenset()
# What the scheduler decides by. Storage, devices and Namespaces only where a waiting Pod depends on them.
_PLACING = (
    _rights("list", "Node", "Pod", "Namespace", "PersistentVolumeClaim", "PersistentVolume")
    | _rights("list", "StorageClass", "CSINode", "CSIDriver", "VolumeAttachment")
    | {Right("storage.k8s.io", "csistoragecapacities", "list")}
    | {Right("resource.k8s.io", plural, "list") for plural in ("resourceclaims", "deviceclasses", "resourceslices")}
)

RIGHTS: Mapping[type[Fact], frozenset[Right]] = MappingProxyType(
    {
        objects.Presence: _NAMED | _rights("list", "ConfigMap", "PersistentVolumeClaim"),
        objects.Keys: _rights("get", "ConfigMap", "Secret"),
        objects.Names: _rights("list", "ConfigMap", "StorageClass", "ServiceAccount", "PriorityClass"),
        History: _rights("get", "ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job")
        | _rights("list", "ReplicaSet", "ControllerRevision", "Pod", "Node"),
        SchedulerWork: _rights("list", "Pod"),
        limits.Quota: _rights("get", "ResourceQuota"),
        limits.Limits: _rights("list", "LimitRange"),
        pulls.PullServers: _rights("get", "Secret"),
        pulls.PullLinks: _rights("get", "ServiceAccount"),
        # Without the right to list Secrets only those are known that the Pod or its ServiceAccount names.
        pulls.PullSecrets: _NOTHING,
        pulls.NodeImages: _rights("get", "Node"),
        # No cluster tells it.
        pulls.Tags: _NOTHING,
        # Of a Namespace, too: what it enforces of its Pods stands there.
        objects.Labels: _rights("get", "Namespace"),
        objects.Events: _rights("list", "Event"),
        objects.Below: _rights("list", "Pod", "ReplicaSet", "Job"),
        # Of the subject itself, which `subject_rights` names.
        **dict.fromkeys(
            (
                *(objects.Deletion, objects.Finalizers, objects.Touches, objects.Owners),
                *(objects.Conditions, objects.Phase, Unreadable),
            ),
            _NOTHING,
        ),
        # Any authenticated user may read them (system:discovery, system:public-info-viewer).
        objects.Server: _NOTHING,
        cluster.Discovery: _NOTHING,
        **dict.fromkeys(
            (pod.Placement, pod.Containers, pod.ContainerStatuses, pod.Needs, pod.Volumes, pod.Demands, pod.Life, cluster.Unschedulable),
            _POD,
        ),
        pod.LastLines: frozenset({Right("", "pods/log", "get")}),
        cluster.NodeShape: _rights("get", "Node"),
        cluster.NodeInfo: _rights("get", "Node"),
        cluster.NodeNames: _rights("list", "Node"),
        PlacingInputs: _PLACING,
        cluster.Lease: _rights("get", "Lease"),
        cluster.Claim: _rights("get", "PersistentVolumeClaim"),
        cluster.StorageClass: _rights("get", "StorageClass"),
        cluster.Workload: _rights("get", *_WORKLOADS, "ReplicaSet", "Job", "CronJob"),
        Conversion: _rights("get", "CustomResourceDefinition"),
        cluster.ApiService: _rights("get", "APIService"),
        cluster.ApiServices: _rights("list", "APIService") | _BEHIND,
        cluster.Backends: _BEHIND,
        cluster.Terminating: _rights("list", "Namespace"),
        cluster.Contents: _ANYTHING,
        Evictions: _rights("list", "Pod", "PodDisruptionBudget"),
        Refusals: _rights("list", *_WORKLOADS, "Lease", "Pod") | _rights("get", *_WORKLOADS) | {Right("", "pods/log", "get")},
        LastWrite: _rights("list", "Lease"),
        cluster.FinalizerOwner: _rights("list", *_WORKLOADS, "Lease") | _rights("get", *_WORKLOADS),
        protection.Users: _rights("list", "Pod") | _rights("get", "PersistentVolume"),
        protection.Uncounted: _rights("get", "Job"),
        # Tried only where somebody asks for it, with that person's own right to write.
        protection.Removal: _NOTHING,
        protection.Dependents: _ANYTHING,
        storage.CsiDrivers: _rights("get", "CSINode"),
        storage.CsiSource: _rights("get", "PersistentVolume"),
        services.ServiceSpec: _rights("get", "Service"),
        services.ServicePods: _rights("get", "Service") | _rights("list", "Pod"),
        services.ServicesBeside: _rights("list", "Service"),
        services.Unserving: _rights("list", "Service", "Pod"),
        storage.Reserved: _rights("get", "PersistentVolume"),
        storage.Attachment: _rights("get", "VolumeAttachment"),
        storage.Attachments: _rights("list", "VolumeAttachment"),
        admission.Webhooks: _rights("list", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration") | _BEHIND,
        admission.AdmissionPolicies: frozenset(Right(_ADMISSION, f"validatingadmissionpolic{end}", "list") for end in ("ies", "ybindings")),
    }
)

# What is read of every cluster before any cause asks: the lists of `scan`, a subject's Events, a Node's heartbeat.
ALWAYS = (
    _rights("list", "Pod", "PersistentVolumeClaim", "Job", *_WORKLOADS, "Node", "Namespace", "Lease", "Event")
    | RIGHTS[objects.Below]
    | RIGHTS[cluster.Lease]
    | RIGHTS[cluster.Workload]
)


def subject_rights(kinds: Iterable[str]) -> frozenset[Right]:
    """Return `get` on what is asked about. kinds: those of causes' `subjects`; `*` is every kind that is Kubernetes' own."""
    names = set(kinds)
    return _rights("get", *(k.name for k in BUILTIN)) if ANY in names else _rights("get", *names)


def rules(rights: Iterable[Right]) -> list[dict[str, list[str]]]:
    """Return RBAC rules that grant exactly these: one for each group and set of verbs, and Secrets in one of their own.

    Keys: apiGroups, resources, verbs; in an order that depends on nothing but the rights.
    """
    verbs: dict[tuple[str, str], set[str]] = {}
    for right in rights:
        verbs.setdefault((right.group, right.resource), set()).add(right.verb)
    together: dict[tuple[bool, str, tuple[str, ...]], set[str]] = {}
    for (group, resource), some in verbs.items():
        together.setdefault((resource == "secrets", group, tuple(sorted(some))), set()).add(resource)
    return [
        {"apiGroups": [group], "resources": sorted(resources), "verbs": list(some)}
        for (_, group, some), resources in sorted(together.items())
    ]
