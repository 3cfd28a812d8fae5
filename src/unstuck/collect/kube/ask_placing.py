"""Everything that the scheduler decides by, list by list.

For Pods that wait in a cluster too big to hold: Pods are reduced to their shapes page by page, and of Nodes only what counts is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unstuck.collect.kube.session import Session, refused
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind, builtin
from unstuck.collect.objects.placing import KINDS, read_placing
from unstuck.collect.objects.placing.pods import Pods
from unstuck.facts.core import Fact, Want

_MOST_PAGES = 1000
# Of Pods that have ended nothing is left to place; the server leaves them out.
_NOT_ENDED = {"fieldSelector": "status.phase!=Succeeded,status.phase!=Failed"}
# Versions in which servers have these, the newest first. Where a server has none of them, no Pod of it can ask for one.
_VERSIONS: Mapping[str, tuple[Kind, ...]] = {
    "CSIStorageCapacity": tuple(Kind("CSIStorageCapacity", "storage.k8s.io", v, "csistoragecapacities") for v in ("v1", "v1beta1")),
    **{
        name: tuple(Kind(name, "resource.k8s.io", v, plural, namespaced) for v in ("v1", "v1beta2", "v1beta1"))
        for name, plural, namespaced in (
            ("ResourceClaim", "resourceclaims", True),
            ("ResourceSlice", "resourceslices", False),
            ("DeviceClass", "deviceclasses", False),
        )
    },
}


def placing(session: Session, want: Want) -> list[Fact]:
    """One `PlacingInputs`, in which a list that was refused is named; without any Node the question stays open."""
    nodes = _Listed(session, "Node")
    if not nodes.rows and not nodes.whole:
        return [refused(want, nodes.last.read)]
    pods = Pods()
    listed = [nodes, _Listed(session, "Pod", _NOT_ENDED, pods.add)]
    listed += (_Listed(session, kind) for kind in KINDS.values() if kind not in ("Node", "Pod"))
    unlisted = sorted(found.kind for found in listed if not found.whole)
    said = f"{len(nodes.rows)} Nodes, Pods of {len(pods.shapes)} shapes" + (f"; not listed: {', '.join(unlisted)}" if unlisted else "")
    rows = {key: found.rows for key, kind in KINDS.items() for found in listed if found.kind == kind != "Pod"}
    return [read_placing(rows, nodes.last.read.src(said), unlisted, pods)]


class _Listed:
    """The objects of one kind in the whole cluster, cut to what counts. whole: these are all. last: the last page that was asked for."""

    def __init__(
        self, session: Session, kind: str, params: Mapping[str, str] | None = None, take: Callable[[doc.Doc], None] | None = None
    ) -> None:
        self.kind = kind
        self.rows: list[doc.Doc] = []
        known = builtin(kind)
        for version in _VERSIONS.get(kind, (known,) if known else ()):
            for self.last in session.pages(version, None, params, most=_MOST_PAGES, remember=False):
                for item in self.last.items:
                    (take or self.rows.append)(_cut(item))
            if not self._unserved:
                break
        self.whole = self.last.whole or self._unserved

    @property
    def _unserved(self) -> bool:
        """The server has no such kind in this version: a 404 that names no object."""
        reply = self.last.read.reply
        return reply.status == 404 and self.kind in _VERSIONS


def _cut(item: doc.Doc) -> doc.Doc:
    """Without what takes most of the room: images of Nodes, and who wrote what."""
    status, meta = item.get("status"), item.get("metadata")
    kept = dict(item)
    if item.get("kind") == "Node" and isinstance(status, Mapping):
        kept["status"] = {"allocatable": status["allocatable"]} if "allocatable" in status else {}
    if isinstance(meta, Mapping):
        kept["metadata"] = {k: v for k, v in meta.items() if k != "managedFields"}
    return kept
