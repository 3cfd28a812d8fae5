"""The target of a reference as a Ref: its kind by group and name, and whether it is in a Namespace."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject
from unstuck.collect.objects.kinds import builtin, group_of, ref_kind
from unstuck.facts.aspects.references import Reference
from unstuck.facts.core import Ref

MOST = 20
GATEWAY = "gateway.networking.k8s.io"
SNAPSHOTS = "snapshot.storage.k8s.io"
# Kinds without a row among Kubernetes' own that belong to no Namespace.
_OF_THE_CLUSTER = (
    "DeviceClass",
    "VolumeAttributesClass",
    f"GatewayClass.{GATEWAY}",
    f"VolumeSnapshotClass.{SNAPSHOTS}",
    f"VolumeSnapshotContent.{SNAPSHOTS}",
)


def make_target(kind: str, seen: SeenObject, name: str, within: str = "") -> Ref | None:
    """Return the Ref of a target; None if it is not named. within: its Namespace, "" for that of the
    referring object.
    """
    if not name or not kind or kind.startswith("."):
        return None
    own = builtin(kind)
    outside = (
        kind in _OF_THE_CLUSTER
        or (kind.startswith("Cluster") and own is None)
        or (own is not None and not own.namespaced)
    )
    return Ref(kind, None if outside else within or seen.ref.within, name)


def make_reference(
    field: str, to: Ref | None, *, serves: bool = False, port: str = ""
) -> Iterator[Reference]:
    """Yield the reference to a target; nothing if that is not named."""
    if to:
        yield Reference(field, to, serves=serves, port=port)


def read_target(row: doc.Doc, seen: SeenObject, kind: str, group: str) -> Ref | None:
    """Return the target of a reference. kind, group: the defaults if it names none."""
    told = group_of(doc.text(row, "apiVersion")) or doc.text(row, "group") or doc.text(row, "apiGroup")
    own = doc.text(row, "kind")
    # A group of "" is the core group; if neither is given, the default applies.
    known = ref_kind(told if told or "group" in row or doc.text(row, "apiVersion") else group, own or kind)
    return make_target(known, seen, doc.text(row, "name"), doc.text(row, "namespace"))


def walk(value: object, path: str, place: str = "") -> Iterator[tuple[str, doc.Doc]]:
    """Yield each mapping at a path such as `spec.http[].route[]`, with its place: `spec.http[0].route[1]`."""
    key, _, rest = path.partition(".")
    name = key.removesuffix("[]")
    here = f"{place}.{name}" if place else name
    found = (
        [(f"{here}[{i}]", row) for i, row in enumerate(doc.rows(value, name))]
        if key != name
        else [(here, doc.section(value, name))]
    )
    for at, row in found:
        if rest:
            yield from walk(row, rest, at)
        elif row:
            yield at, row
