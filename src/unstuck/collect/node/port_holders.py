"""Finds the processes that have listening sockets open, by the links of their open files; nothing is
connected to.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.node.open_files import OpenFiles
from unstuck.collect.node.proc import Process
from unstuck.collect.node.sockets import ListeningSocket, read_sockets
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.sockets import PortHolder, PortHolders
from unstuck.facts.core import Ref, Source

_MANY = 200
_SHOWN = 8


def node_holders(view: NodeView) -> PortHolders | None:
    """Return the listeners in the Node's own network: that of the kubelet, else of the first process."""
    first = [view.kubelet.process.pid] if view.kubelet.process else [1]
    return _find_holders(view, view.ref, first)


def pod_holders(view: NodeView, pod: Ref) -> PortHolders | None:
    """Return the listeners in the networks of the Pod's processes; None if none of them runs."""
    return _find_holders(view, pod, [p.pid for p in view.pod_processes(pod.uid or "")])


def _find_holders(
    view: NodeView, about: Ref, pids: Sequence[int], seconds: float = 1.5, most: int = 400_000
) -> PortHolders | None:
    """Look at the open files of every process. seconds, most: as of `OpenFiles`."""
    tables = read_sockets(view, pids)
    known = {s.inode: s for table in tables.values() for s in table or () if s.inode.isdigit()}
    if not any(table is not None for table in tables.values()):
        return None
    open_files = OpenFiles(view, seconds, most)
    found = {
        holder
        for process, fds in (open_files if known else ())
        for holder in _list_holders_of(view, process, fds, known)
    }
    items = tuple(sorted(found, key=lambda h: (h.port, h.local, h.proc.pid)))
    shown = ", ".join(f"{h.proc.pid} ({h.proc.comm}) {h.address or '*'}:{h.port}" for h in items[:_SHOWN])
    return PortHolders(
        about=about,
        src=Source(f"{view.name} /proc/*/fd", f"listening: {shown or 'nobody'}"),
        whole=open_files.whole and None not in tables.values() and len(items) <= _MANY,
        items=items[:_MANY],
    )


def _list_holders_of(
    view: NodeView, process: Process, fds: Sequence[str], known: dict[str, ListeningSocket]
) -> list[PortHolder]:
    inodes = {_socket_inode(view.root.link(f"/proc/{process.pid}/fd/{fd}")[0]) for fd in fds} & known.keys()
    if not inodes:
        return []
    proc = view.table.as_fact(process)
    pod = view.pod(Ref("Pod", uid=proc.pod)) if proc.pod else None
    return [
        PortHolder(one.port, proc, one.local, pod, one.address) for one in (known[i].listener for i in inodes)
    ]


def _socket_inode(target: str) -> str:
    """Return 4711 of `socket:[4711]`, "" of any other open file."""
    return target[len("socket:[") : -1] if target.startswith("socket:[") else ""
