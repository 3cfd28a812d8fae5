"""Counterparts of classes: the programs that serve them, and the Nodes that have what they name.

Sources: storage/v1 (StorageClass, CSIDriver, CSINode), networking/v1 IngressClass, node/v1 RuntimeClass and
core/v1 NodeRuntimeHandler of Kubernetes 1.34; external-snapshotter v1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from unstuck.collect.kube.questions.classes import find_controllers
from unstuck.collect.kube.questions.pairs_tools import labels_of, list_all, list_names, name_of
from unstuck.collect.kube.questions.users import read_class
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.collect.objects.targets import SNAPSHOTS
from unstuck.facts.aspects.cluster import Candidate
from unstuck.facts.aspects.counterparts import Counterpart
from unstuck.facts.core import Ref

_SHOWN = 4
# The field with the name of the program that serves the class.
_FIELDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "StorageClass": ("provisioner",),
        f"VolumeSnapshotClass.{SNAPSHOTS}": ("driver",),
        "IngressClass": ("spec", "controller"),
    }
)
PROVIDED = tuple(_FIELDS)
# Kubernetes' own provisioners have no program of that name.
_OWN = "kubernetes.io/"
_MADE_BY = "pv.kubernetes.io/provisioned-by"


def read_provider(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the name of the program that a class is for with the drivers and the workloads of such names."""
    path = _FIELDS[about.kind]
    name, field = doc.text(obj, *path), ".".join(path)
    if not name or name.startswith(_OWN):
        return
    drives = about.kind in ("StorageClass", f"VolumeSnapshotClass.{SNAPSHOTS}")
    drivers = list_names(session, "CSIDriver", None) if drives else ()
    if drivers is None:
        return
    if name in drivers:
        yield from _compare_nodes(session, about, field, name)
        return
    programs = find_controllers(session, name)
    if programs is None or (_has_made(session, name) if drives else _is_served(session, about)):
        return
    yield _compare_programs(about, field, name, programs, drivers)


def _compare_programs(
    about: Ref, field: str, name: str, programs: tuple[Candidate, ...], drivers: tuple[str, ...]
) -> Counterpart:
    kind, theirs, there = "CSIDriver" if drivers else "workload", "metadata.name", drivers[:_SHOWN]
    refs = tuple(p.ref for p in programs[:_SHOWN])
    if refs:
        kind, there = refs[0].kind, (name,)
    if refs and not any(p.ready for p in programs):
        theirs, there = "status.readyReplicas", ("0",)
    return Counterpart("served-by", about, field, name, kind, refs, theirs, there)


def _is_served(session: Session, about: Ref) -> bool:
    """Tell whether an IngressClass' controller has done anything, perhaps from outside of the cluster, or may
    have.
    """
    items = list_all(session, "Ingress", None)
    return items is None or any(
        read_class(i) == about.name and doc.rows(i, "status", "loadBalancer", "ingress") for i in items
    )


def _has_made(session: Session, name: str) -> bool:
    """Tell whether a provisioner of this name has made a volume, perhaps from outside, or may have."""
    volumes = list_all(session, "PersistentVolume", None)
    return volumes is None or any(
        name in (doc.text(v, "metadata", "annotations", _MADE_BY), doc.text(v, "spec", "csi", "driver"))
        for v in volumes
    )


def _compare_nodes(session: Session, about: Ref, field: str, name: str) -> Iterator[Counterpart]:
    nodes = list_all(session, "CSINode", None)
    there = {doc.text(row, "name") for node in nodes or () for row in doc.rows(node, "spec", "drivers")}
    if nodes:
        shown = (name,) if name in there else tuple(sorted(there))[:_SHOWN]
        yield Counterpart("driver-nodes", about, field, name, "CSINode", (), "spec.drivers[].name", shown)


def read_handler(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the handler of a RuntimeClass with those of the Nodes, where all of them tell theirs."""
    chosen = dict(doc.pairs(obj, "scheduling", "nodeSelector"))
    nodes = [n for n in list_all(session, "Node", None) or () if chosen.items() <= labels_of(n).items()]
    told = [[doc.text(row, "name") for row in doc.rows(n, "status", "runtimeHandlers")] for n in nodes]
    if not nodes or not all(told):
        return
    there = tuple(dict.fromkeys(name for names in told for name in names if name))
    yield Counterpart(
        "runtime-handler",
        about,
        "handler",
        doc.text(obj, "handler"),
        "Node",
        tuple(name_of(n, "Node") for n in nodes[:_SHOWN]),
        "status.runtimeHandlers[].name",
        there,
    )
