"""The TCP sockets that listen in a Pod's network namespaces, from the kernel's own table; nothing is connected to."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.sockets import Listener, Listening
from unstuck.facts.core import Ref, Source

_LISTEN = "0A"
_MOST = 4 << 20
_MANY = 200


def listeners(view: NodeView, pod: Ref) -> Listening | None:
    """Return the listeners of each network namespace that a process of the Pod is in; None where there is none or no table can be read."""
    seen: dict[str, list[Listener] | None] = {}
    for process in view.pod_processes(pod.uid or ""):
        name, _ = view.table.namespace(process.pid, "net")
        if name and seen.get(name) is None:
            seen[name] = _read_listeners(view, process.pid)
    tables = [t for t in seen.values() if t is not None]
    if not tables:
        return None
    items = sorted({item for table in tables for item in table}, key=lambda i: (i.port, i.local))
    shown = ", ".join(f"{'127.0.0.1' if i.local else '*'}:{i.port}" for i in items[:8])
    return Listening(
        about=pod,
        src=Source(f"{view.name} /proc/*/net/tcp", f"listening: {shown or 'nothing'}"),
        whole=view.sees_node and len(tables) == len(seen) and len(items) <= _MANY,
        items=tuple(items[:_MANY]),
    )


def _read_listeners(view: NodeView, pid: int) -> list[Listener] | None:
    """Return the listeners of one namespace, by a process in it; a kernel without IPv6 has but the first table."""
    old, new = (view.root.text(f"/proc/{pid}/net/{name}", _MOST) for name in ("tcp", "tcp6"))
    return None if old is None else [*_parse_rows(old), *_parse_rows(new or "")]


def _parse_rows(table: str) -> Iterator[Listener]:
    for line in table.splitlines()[1:]:
        words = line.split(maxsplit=4)
        if len(words) < 4 or words[3] != _LISTEN:
            continue
        address, _, port = words[1].partition(":")
        if port and all(c in "0123456789ABCDEFabcdef" for c in port):
            yield Listener(int(port, 16), _is_loopback(address))


def _is_loopback(address: str) -> bool:
    """Return 127.0.0.0/8 and ::1, each word in the machine's own order (little-endian on all that run Nodes but s390x)."""
    if len(address) == 8:
        return address.endswith("7F") or address.startswith("7F")
    return address in ("0" * 24 + "01000000", "0" * 31 + "1") or (address.startswith("0" * 16 + "FFFF0000") and address.endswith("7F"))
