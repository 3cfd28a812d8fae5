"""Reads the mounts of the node, and the mounts required by /etc/fstab. Options that may hold a password are
not kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.node.mounts import pod_in_path, unescape
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_mounts import NodeMounts, PlannedMount
from unstuck.facts.core import Source
from unstuck.facts.regex import regex

_FSTAB = "/etc/fstab"
_MOST = 1_000
_CONTAINER = regex(r"/[0-9a-f]{64}(?:/|$)|/(?:overlay2|snapshots)/")
_KEPT = ("nofail", "noauto")


def node_mounts(view: NodeView) -> NodeMounts | None:
    """Return the mounts that do not belong to a single Pod or container; None if no mount table can be
    read.
    """
    _, entries, pid = view.home
    if pid is None:
        return None
    items = tuple(
        e for e in entries if pod_in_path(e.mountpoint) is None and not _CONTAINER.search(e.mountpoint)
    )
    planned = tuple(_list_planned(view.root.text(_FSTAB, 1 << 18) or "") if view.may_touch(_FSTAB) else ())
    return NodeMounts(
        about=view.ref,
        src=Source(f"{view.name} /proc/{pid}/mountinfo", f"{len(items)} mounts"),
        whole=(view.home_sure or view.sees_node) and len(items) <= _MOST,
        items=items[:_MOST],
        planned=planned[:_MOST],
    )


def _list_planned(text: str) -> Iterator[PlannedMount]:
    for line in text.splitlines():
        words = line.split()
        if len(words) < 2 or words[0].startswith("#") or not words[1].startswith("/"):
            continue
        source, at, fstype, options = (*words, "", "")[:4]
        kept = tuple(o for o in options.split(",") if o in _KEPT)
        yield PlannedMount("" if "@" in source else source, unescape(at), fstype, kept)
