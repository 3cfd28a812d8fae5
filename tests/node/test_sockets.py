"""Listening sockets in the kernel's own table."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from unstuck.collect.node.sockets import _parse_rows
from unstuck.facts.aspects.sockets import Listener

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
def test_a_listening_socket_is_told_with_whom_it_serves(family: socket.AddressFamily, address: str, local: bool):
    table = Path(f"/proc/self/net/{TABLES[family]}")
    if not table.exists():
        pytest.skip(f"this kernel has no {table}")
    with socket.socket(family, socket.SOCK_STREAM) as made:
        made.bind((address, 0))
        bound = set(_parse_rows(table.read_text()))
        made.listen()
        port = made.getsockname()[1]
        assert Listener(port, local) in set(_parse_rows(table.read_text()))
        assert Listener(port, local) not in bound, "bound is not listening"


def test_what_is_no_table_tells_nothing():
    assert not list(_parse_rows("sl local_address\n0: nonsense\n 1: zz:zz 0:0 0A\n"))
