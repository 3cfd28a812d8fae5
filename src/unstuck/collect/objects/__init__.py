"""One Kubernetes object, in any shape that JSON or YAML can have, to facts. Pure; no input raises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from types import MappingProxyType

from unstuck.collect.objects import doc
from unstuck.collect.objects.budget import budget_facts
from unstuck.collect.objects.crd import definition_facts
from unstuck.collect.objects.due import due_facts
from unstuck.collect.objects.event import events_of, group_by_object
from unstuck.collect.objects.generic import SeenObject, is_observed, metadata_facts, status_facts
from unstuck.collect.objects.grants import binding_facts
from unstuck.collect.objects.kinds import ref_of
from unstuck.collect.objects.limits import limit_range_facts, quota_facts
from unstuck.collect.objects.namespace import api_service_facts, namespace_facts
from unstuck.collect.objects.node import lease_facts, node_facts
from unstuck.collect.objects.pod import pod_facts
from unstuck.collect.objects.pulls import account_facts
from unstuck.collect.objects.references import reference_facts
from unstuck.collect.objects.reported import reported_facts
from unstuck.collect.objects.roles import role_facts
from unstuck.collect.objects.sections import section_facts
from unstuck.collect.objects.services import endpoints_facts, service_facts
from unstuck.collect.objects.signing import request_facts
from unstuck.collect.objects.storage import (
    attachment_facts,
    claim_facts,
    config_map_facts,
    csi_node_facts,
    secret_facts,
    storage_class_facts,
    volume_facts,
)
from unstuck.collect.objects.workload import WORKLOADS, workload_facts
from unstuck.facts.core import Fact

Reader = Callable[[SeenObject], Iterator[Fact]]

_READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "Pod": pod_facts,
        "Node": node_facts,
        "Lease": lease_facts,
        "Namespace": namespace_facts,
        "CustomResourceDefinition": definition_facts,
        "APIService": api_service_facts,
        "PersistentVolumeClaim": claim_facts,
        "PersistentVolume": volume_facts,
        "StorageClass": storage_class_facts,
        "CSINode": csi_node_facts,
        "VolumeAttachment": attachment_facts,
        "Service": service_facts,
        "Endpoints": endpoints_facts,
        "ResourceQuota": quota_facts,
        "LimitRange": limit_range_facts,
        "PodDisruptionBudget": budget_facts,
        "ConfigMap": config_map_facts,
        "Secret": secret_facts,
        "CertificateSigningRequest": request_facts,
        "ServiceAccount": account_facts,
        "Role": role_facts,
        "ClusterRole": role_facts,
        "RoleBinding": binding_facts,
        "ClusterRoleBinding": binding_facts,
        "Gateway.gateway.networking.k8s.io": section_facts,
        **dict.fromkeys(WORKLOADS, workload_facts),
    }
)
_DEEPEST_LIST = 3


def facts_of(obj: doc.Doc, where: str, at: datetime | None = None) -> list[Fact]:
    """Return the facts of one object, or of the items of a list.

    where: the object's API path, or `FILE:LINE`. at: the time of reading, None if unknown. An object without
    a kind or without a name and uid gives nothing. Fields that no server filled in (a manifest) are never
    reported as present or whole.
    """
    return list(_read(obj, where, at, 0))


def metadata_of(obj: doc.Doc, where: str, at: datetime | None = None) -> list[Fact]:
    """Return the facts of an object's metadata: nothing is concluded from its missing spec and status."""
    ref = ref_of(obj)
    return list(metadata_facts(SeenObject(obj, ref, where, at, is_observed(obj)))) if ref else []


def _read(obj: object, where: str, at: datetime | None, depth: int) -> Iterator[Fact]:
    if not isinstance(obj, Mapping) or depth > _DEEPEST_LIST:
        return
    kind = doc.text(obj, "kind")
    if kind == "List" or (kind.endswith("List") and "items" in obj):
        yield from _read_list(_list_items(obj, kind), where, at, depth)
    elif kind == "Event":
        yield from _read_events([obj], where)
    else:
        yield from _read_object(obj, where, at)


def _list_items(obj: doc.Doc, kind: str) -> list[doc.Doc]:
    """Return the items of a list; items of a typed list (`PodList`) do not carry their kind themselves."""
    own = (
        {"kind": kind.removesuffix("List"), "apiVersion": doc.text(obj, "apiVersion")}
        if kind != "List"
        else {}
    )
    return [{**own, **item} for item in doc.rows(obj, "items")]


def _read_list(items: Iterable[doc.Doc], where: str, at: datetime | None, depth: int) -> Iterator[Fact]:
    told = []
    for item in items:
        if doc.text(item, "kind") == "Event":
            told.append(item)
        else:
            yield from _read(item, where, at, depth + 1)
    yield from _read_events(told, where)


def _read_events(objs: list[doc.Doc], where: str) -> Iterator[Fact]:
    for about, group in group_by_object(objs).items():
        yield from events_of(group, about, where, whole=False)


def _read_object(obj: doc.Doc, where: str, at: datetime | None) -> Iterator[Fact]:
    ref = ref_of(obj)
    if ref is None:
        return
    seen = SeenObject(obj, ref, where, at, is_observed(obj))
    yield from metadata_facts(seen)
    yield from _READERS.get(ref.kind, status_facts)(seen)
    yield from reported_facts(seen)
    yield from due_facts(seen)
    yield from reference_facts(seen)
