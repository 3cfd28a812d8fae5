"""Reads all of the scheduler's inputs, list by list.

For Pods that wait in a cluster too big to hold: Pods are reduced to their shapes page by page, and of Nodes
only the relevant parts are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Session, make_refused
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind, builtin
from unstuck.collect.objects.placing import KINDS, needed_kinds, read_placing
from unstuck.collect.objects.placing.pods import Pods
from unstuck.facts.core import Fact, Want

_MOST_PAGES = 1000
# Ended Pods need no placement; the server leaves them out.
_NOT_ENDED = {"fieldSelector": "status.phase!=Succeeded,status.phase!=Failed"}
# Versions in which servers have these, the newest first. If a server has none of them, no Pod of it can ask
# for one.
_VERSIONS: Mapping[str, tuple[Kind, ...]] = {
    "CSIStorageCapacity": tuple(
        Kind("CSIStorageCapacity", "storage.k8s.io", v, "csistoragecapacities") for v in ("v1", "v1beta1")
    ),
    **{
        name: tuple(
            Kind(name, "resource.k8s.io", v, plural, namespaced) for v in ("v1", "v1beta2", "v1beta1")
        )
        for name, plural, namespaced in (
            ("ResourceClaim", "resourceclaims", True),
            ("ResourceSlice", "resourceslices", False),
            ("DeviceClass", "deviceclasses", False),
        )
    },
}


def placing(session: Session, want: Want) -> list[Fact]:
    """Return one `PlacingInputs`, and a `Refused` for the first list in it that was refused; without any Node
    or Pod only that.

    The kinds to list depend on the needs of the waiting Pods; a cluster whose Pods need nothing but room
    takes two lists.
    """
    nodes = _ListedKind(session, "Node")
    if not nodes.rows and not nodes.whole:
        return [make_refused(want, nodes.last.read)]
    pods = Pods()
    listed = [nodes, _ListedKind(session, "Pod", _NOT_ENDED, pods.add)]
    if not pods.shapes and not listed[1].whole:
        return [make_refused(want, listed[1].last.read)]
    others = [kind for kind in KINDS.values() if kind not in ("Node", "Pod")]
    asked = needed_kinds(pods)
    listed += run_each(lambda kind: _ListedKind(session, kind), [kind for kind in others if kind in asked])
    unlisted = sorted(found.kind for found in listed if not found.whole)
    said = f"{len(nodes.rows)} Nodes, Pods of {len(pods.shapes)} shapes" + (
        f"; not listed: {', '.join(unlisted)}" if unlisted else ""
    )
    rows = {key: found.rows for key, kind in KINDS.items() for found in listed if found.kind == kind != "Pod"}
    open_ = next(([make_refused(want, found.last.read)] for found in listed if not found.whole), [])
    told = read_placing(
        rows, nodes.last.read.src(said), unlisted, pods, [kind for kind in others if kind not in asked]
    )
    return [told, *open_]


class _ListedKind:
    """The objects of one kind in the whole cluster, cut to the relevant parts. whole: these are all. last:
    the last page requested.

    Pages of Nodes are kept, because another question lists them too; pages of other kinds may be too many.
    """

    def __init__(
        self,
        session: Session,
        kind: str,
        params: Mapping[str, str] | None = None,
        take: Callable[[doc.Doc], None] | None = None,
    ) -> None:
        self.kind = kind
        self.rows: list[doc.Doc] = []
        known = builtin(kind)
        for version in _VERSIONS.get(kind, (known,) if known else ()):
            for self.last in session.pages(version, None, params, most=_MOST_PAGES, remember=kind == "Node"):
                for item in self.last.items:
                    (take or self.rows.append)(_strip_large_parts(item))
            if not self._unserved:
                break
        self.whole = self.last.whole or self._unserved

    @property
    def _unserved(self) -> bool:
        """Whether the server lacks this kind in this version: a 404 that names no object."""
        reply = self.last.read.reply
        return reply.status == 404 and self.kind in _VERSIONS


def _strip_large_parts(item: doc.Doc) -> doc.Doc:
    """Return the object without its largest parts: images of Nodes, and managedFields."""
    status, meta = item.get("status"), item.get("metadata")
    kept = dict(item)
    if item.get("kind") == "Node" and isinstance(status, Mapping):
        kept["status"] = {"allocatable": status["allocatable"]} if "allocatable" in status else {}
    if isinstance(meta, Mapping):
        kept["metadata"] = {k: v for k, v in meta.items() if k != "managedFields"}
    return kept
