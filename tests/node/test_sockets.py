"""Listening sockets in the kernel's own table, and the processes with them open."""

from __future__ import annotations

import os
import socket
from datetime import UTC, datetime
from pathlib import Path

import pytest

from unstuck.collect.node.port_holders import _find_holders
from unstuck.collect.node.root import Root
from unstuck.collect.node.sockets import _parse_rows
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.sockets import Listener
from unstuck.facts.core import Ref

NOW = datetime(2026, 11, 29, 3, 0, tzinfo=UTC)
TABLES = {socket.AF_INET: "tcp", socket.AF_INET6: "tcp6"}


@pytest.mark.parametrize(
    ("family", "address", "local"),
    [
        (socket.AF_INET, "127.0.0.1", True),
        (socket.AF_INET, "0.0.0.0", False),  # noqa: S104 - bound for a moment
        (socket.AF_INET6, "::1", True),
        (socket.AF_INET6, "::", False),
    ],
)
def test_a_listening_socket_is_told_with_whom_it_serves(
    family: socket.AddressFamily, address: str, local: bool
):
    table = Path(f"/proc/self/net/{TABLES[family]}")
    if not table.exists():
        pytest.skip(f"this kernel has no {table}")
    with socket.socket(family, socket.SOCK_STREAM) as made:
        made.bind((address, 0))
        bound = _listeners(table)
        made.listen()
        port = made.getsockname()[1]
        listener = Listener(port, local, address if local else "")
        assert listener in _listeners(table)
        assert listener not in bound, "bound is not listening"


def _listeners(table: Path) -> set[Listener]:
    return {row.listener for row in _parse_rows(table.read_text())}


def test_what_is_no_table_tells_nothing():
    assert not list(_parse_rows("sl local_address\n0: nonsense\n 1: zz:zz 0:0 0A\n"))


def test_the_process_that_has_a_port_open_is_told():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as made:
        made.bind(("127.0.0.1", 0))
        made.listen()
        port = made.getsockname()[1]
        found = _find_holders(NodeView(Root("/"), NOW), Ref("Node", None, "n1"), [os.getpid()])
        assert found
        assert {(h.proc.pid, h.local, h.pod) for h in found.items if h.port == port} == {
            (os.getpid(), True, None)
        }
    gone = _find_holders(NodeView(Root("/"), NOW), Ref("Node", None, "n1"), [os.getpid()])
    assert gone and port not in {h.port for h in gone.items}


def test_who_was_not_looked_at_leaves_it_open():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as made:
        made.bind(("127.0.0.1", 0))
        made.listen()
        found = _find_holders(NodeView(Root("/"), NOW), Ref("Node", None, "n1"), [os.getpid()], most=0)
    assert found and not found.whole and not found.items


def test_without_a_process_in_its_network_nothing_is_told():
    assert _find_holders(NodeView(Root("/"), NOW), Ref("Pod", "a", "b", "no-such"), []) is None
