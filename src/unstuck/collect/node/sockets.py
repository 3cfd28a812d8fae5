"""The TCP sockets that listen in a Pod's network namespaces, from the kernel's own table; nothing is
connected to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.sockets import Listener, Listening
from unstuck.facts.core import Ref, Source
from unstuck.facts.record import Record, record

_LISTEN = "0A"
_MOST = 4 << 20
# The column of a socket's inode: net/ipv4/tcp_ipv4.c, get_tcp4_sock.
_INODE = 9
_MANY = 200


@record()
class ListeningSocket(Record):
    """A row of the kernel's table. inode: that of the socket, as `/proc/PID/fd/N` names it; "" if the row
    is cut off.
    """

    listener: Listener
    inode: str = ""


def listeners(view: NodeView, pod: Ref) -> Listening | None:
    """Return the listeners of each network namespace with a process of the Pod; None if there is none or
    no table can be read.
    """
    seen = read_sockets(view, [p.pid for p in view.pod_processes(pod.uid or "")])
    tables = [t for t in seen.values() if t is not None]
    if not tables:
        return None
    items = sorted({socket.listener for table in tables for socket in table}, key=lambda i: (i.port, i.local))
    shown = ", ".join(f"{i.address or '*'}:{i.port}" for i in items[:8])
    return Listening(
        about=pod,
        src=Source(f"{view.name} /proc/*/net/tcp", f"listening: {shown or 'nothing'}"),
        whole=view.sees_node and len(tables) == len(seen) and len(items) <= _MANY,
        items=tuple(items[:_MANY]),
    )


def read_sockets(view: NodeView, pids: Iterable[int]) -> dict[str, list[ListeningSocket] | None]:
    """Return the listening sockets of each network namespace that these processes are in; None if its
    table cannot be read.
    """
    seen: dict[str, list[ListeningSocket] | None] = {}
    for pid in pids:
        name, _ = view.table.namespace(pid, "net")
        if name and seen.get(name) is None:
            seen[name] = _read_table(view, pid)
    return seen


def _read_table(view: NodeView, pid: int) -> list[ListeningSocket] | None:
    """Return the listening sockets of one namespace, by a process in it; a kernel without IPv6 has but the
    first table.
    """
    old, new = (view.root.text(f"/proc/{pid}/net/{name}", _MOST) for name in ("tcp", "tcp6"))
    return None if old is None else [*_parse_rows(old), *_parse_rows(new or "")]


def _parse_rows(table: str) -> Iterator[ListeningSocket]:
    for line in table.splitlines()[1:]:
        words = line.split(maxsplit=_INODE + 1)
        if len(words) < 4 or words[3] != _LISTEN:
            continue
        address, _, port = words[1].partition(":")
        if port and all(c in "0123456789ABCDEFabcdef" for c in port):
            listener = Listener(int(port, 16), _is_loopback(address), _write_address(address))
            yield ListeningSocket(listener, words[_INODE] if len(words) > _INODE else "")


def _write_address(address: str) -> str:
    """Return an IPv4 address, or the loopback one of IPv6; "" for all addresses and other IPv6 ones."""
    short = address[-8:] if address.startswith("0" * 16 + "FFFF0000") else address
    if len(short) != 8:
        return "::1" if _is_loopback(address) else ""
    number = int(short, 16)
    # Of the machine's order: the loopback network shows which end comes first.
    octets = number.to_bytes(4, "big" if short.startswith("7F") else "little")
    return ".".join(map(str, octets)) if number else ""


def _is_loopback(address: str) -> bool:
    """Return 127.0.0.0/8 and ::1, each word in the machine's own order (little-endian on all that run
    Nodes but s390x).
    """
    if len(address) == 8:
        return address.endswith("7F") or address.startswith("7F")
    return address in ("0" * 24 + "01000000", "0" * 31 + "1") or (
        address.startswith("0" * 16 + "FFFF0000") and address.endswith("7F")
    )
