"""Finds the programs that unpack layers for the runtime, since when they run, and whether they make progress.

Sources: containerd pkg/archive/compression (`unpigz`, `igzip` if they are installed), moby pkg/chrootarchive
and containers/storage pkg/chrootarchive (the daemon started once more as `docker-applyLayer`, `docker-untar`,
`storage-applyLayer`, `storage-untar`).
"""

from __future__ import annotations

from unstuck.collect.node.proc import Process
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.pulls import Unpacking
from unstuck.facts.core import Source

_PROGRAMS = ("unpigz", "pigz", "igzip")
# The kernel's name for a daemon that starts itself once more: its first argument shows the role.
_AGAIN = ("exe", "dockerd", "crio")
_AS = ("docker-applyLayer", "docker-untar", "storage-applyLayer", "storage-untar")
_MOST = 32


def unpacking_processes(view: NodeView) -> Unpacking:
    """Return the node's unpacking processes that are in no Pod's cgroup: a Pod may have an `unpigz` of its
    own.
    """
    found = [p for p in view.table.user if p.groups.pod is None and _is_unpacking(view, p)]
    items = tuple(view.table.as_steady_fact(p) for p in found[:_MOST])
    worst = next((p for p in items if p.stuck_threads or p.state == "T"), next(iter(items), None))
    quote = (
        f"{worst.pid} {worst.comm} {worst.state} {worst.waits_in}".strip()
        if worst
        else "no program unpacks a layer"
    )
    return Unpacking(
        about=view.ref,
        src=Source(f"{view.name} /proc/{worst.pid if worst else '*'}/stat", quote),
        items=items,
        whole=view.sees_node and len(found) <= _MOST,
    )


def _is_unpacking(view: NodeView, process: Process) -> bool:
    comm = process.stat.comm
    if comm in _PROGRAMS:
        return True
    return comm in _AGAIN and next(iter(view.table.arguments(process.pid)), "") in _AS
