"""The objects that a CustomResource names without a reference: by an address, a field such as `serviceName`,
or a row of its status.

None of them must exist: an address may be outside the cluster, a name may belong to an object yet to be
created.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject
from unstuck.collect.objects.kinds import find_kind, group_of, ref_kind
from unstuck.collect.objects.targets import MOST, make_reference, make_target
from unstuck.facts.aspects.references import Reference
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_DEEPEST, _LONGEST, _ROWS = 6, 300, 12
_NAME = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# `http://vault.vault:8200/v1`, `amqp://broker.mq.svc`, `db.data.svc.cluster.local:5432`.
_ADDRESS = regex(
    rf"(?:[a-z][a-z0-9+.-]{{1,20}}://(?:[^\s@/]{{1,100}}@)?)?(?P<name>{_NAME})(?:\.(?P<space>{_NAME}))?"
    r"(?P<svc>\.svc(?:\.[a-z0-9.-]{1,100})?)?"
    r"(?::(?P<port>\d{1,5}))?(?:[/?].*)?"
)
# Suffixes of public names: the part before is not a Service in a Namespace of that name.
_OUTSIDE = frozenset(
    ("com", "org", "net", "io", "dev", "cloud", "app", "ai", "de", "eu", "cn", "uk")
) | frozenset(("example", "local", "internal", "test"))
_WORDS = {
    "serviceName": "Service",
    "claimName": "PersistentVolumeClaim",
    "persistentVolumeClaimName": "PersistentVolumeClaim",
}
_WORDS |= {
    "deploymentName": "Deployment",
    "statefulSetName": "StatefulSet",
    "jobName": "Job",
    "podName": "Pod",
}
# Fields that hold a bare name of another kind of the same group. Sources: argo-cd
# pkg/apis/application/v1alpha1; operator-framework/api pkg/operators/v1alpha1; velero pkg/apis/velero/v1;
# cluster-api api/core/v1beta1.
_BARE: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]] = MappingProxyType(
    {
        "Application.argoproj.io": ((("spec", "project"), "AppProject"),),
        "Subscription.operators.coreos.com": ((("status", "currentCSV"), "ClusterServiceVersion"),),
        "Backup.velero.io": ((("spec", "storageLocation"), "BackupStorageLocation"),),
        "Schedule.velero.io": ((("spec", "template", "storageLocation"), "BackupStorageLocation"),),
        "Restore.velero.io": ((("spec", "backupName"), "Backup"), (("spec", "scheduleName"), "Schedule")),
        **dict.fromkeys(
            (f"{kind}.cluster.x-k8s.io" for kind in ("Machine", "MachineSet", "MachineDeployment")),
            ((("spec", "clusterName"), "Cluster"),),
        ),
    }
)


def find_bare(seen: SeenObject) -> Iterator[Reference]:
    """Yield the objects that fields of a known type name without a kind."""
    group = seen.ref.kind.partition(".")[2]
    for path, kind in _BARE.get(seen.ref.kind, ()):
        # All of these are namespaced, whatever their kind begins with.
        if name := doc.text(seen.obj, *path):
            yield Reference(".".join(path), Ref(f"{kind}.{group}", seen.ref.within, name))


def find_plain(seen: SeenObject) -> Iterator[Reference]:
    """Yield the Services in the addresses of an object's spec, and the objects in its fields named after a
    kind, with `Name` at the end.
    """
    for name, place, text in doc.find_fields(seen.obj.get("spec"), "spec", _DEEPEST, MOST):
        if kind := _WORDS.get(name):
            yield from make_reference(place, make_target(kind, seen, text))
        elif len(text) <= _LONGEST:
            yield from _find_service(place, text, seen)


def _find_service(place: str, text: str, seen: SeenObject) -> Iterator[Reference]:
    """Yield the Service of an address with a scheme or a port: NAME.NAMESPACE, with or without `.svc`, or
    NAME alone behind a scheme.
    """
    m = _ADDRESS.fullmatch(text)
    if (
        m is None
        or m["name"].isdecimal()
        or not ("://" in text or m["port"])
        or (m["space"] in _OUTSIDE and not m["svc"])
    ):
        return
    if m["space"] or "://" in text:
        yield from make_reference(
            place, make_target("Service", seen, m["name"], m["space"] or ""), port=m["port"] or ""
        )


def find_rows(seen: SeenObject) -> Iterator[Reference]:
    """Yield the objects of the lists in an object's status whose entries have a kind and a name, those
    with a message first.
    """
    rows = [*_list_rows(seen.obj.get("status"), "status", 0)]
    for place, row in sorted(rows, key=lambda one: not doc.text(one[1], "message"))[:_ROWS]:
        known = find_kind(doc.text(row, "kind"))
        group = doc.text(row, "group") or group_of(doc.text(row, "apiVersion"))
        kind = known.name if known and not group.count(".") else ref_kind(group, doc.text(row, "kind"))
        yield from make_reference(
            place, make_target(kind, seen, doc.text(row, "name"), doc.text(row, "namespace"))
        )


def _list_rows(value: object, place: str, depth: int) -> Iterator[tuple[str, doc.Doc]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            # References are read as such.
            if not str(key).endswith("Refs"):
                yield from _list_rows(inner, f"{place}.{key}", depth + 1)
    elif isinstance(value, list):
        for i, row in enumerate(value[:MOST]):
            if isinstance(row, Mapping) and doc.text(row, "kind") and doc.text(row, "name"):
                yield f"{place}[{i}]", row
