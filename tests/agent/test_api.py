"""With any answer at the server's address, the reporter's requests end without a traceback."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.agent.cluster import Cluster, serving
from unstuck.agent.api import Api, ApiGoneError

pytestmark = pytest.mark.slow


@contextmanager
def _saying(data: bytes) -> Iterator[int]:
    """Run a plain socket that sends these bytes to every client."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                one, _ = server.accept()
                with one, suppress(OSError):
                    one.sendall(data)
                    one.recv(100)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield server.getsockname()[1]
    finally:
        server.close()


@pytest.fixture
def account(tmp_path: Path) -> Path:
    with serving(Cluster(), tmp_path / "account"):
        pass
    return tmp_path / "account"


@pytest.mark.parametrize(
    "data", [b"", b"HTTP/1.1 200 OK\r\n\r\n", b"\x00" * 500, b"\x16\x03\x01\x02\x00" + b"x" * 600]
)
def test_who_speaks_no_tls_is_not_the_server(account: Path, data: bytes) -> None:
    with _saying(data) as port:
        api = Api("127.0.0.1", port, account)
        with pytest.raises(ApiGoneError):
            api.call("GET", "/x", seconds=2)
        with pytest.raises(ApiGoneError):
            list(api.watch("/x", {}, 2))


def test_a_server_of_another_authority_gets_no_token(tmp_path: Path, account: Path) -> None:
    import trustme

    cluster = Cluster()
    with serving(cluster, tmp_path / "other") as port:
        trustme.CA().cert_pem.write_to_path(str(account / "ca.crt"))
        with pytest.raises(ApiGoneError):
            Api("127.0.0.1", port, account).call("GET", "/x", seconds=2)
    assert cluster.tokens == []


def test_one_that_says_nothing_is_left_in_time(account: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        api = Api("127.0.0.1", silent.getsockname()[1], account)
        with pytest.raises(ApiGoneError):
            api.call("GET", "/x", seconds=0.3)


@pytest.mark.parametrize("missing", ["token", "ca.crt"])
def test_without_a_token_or_an_authority_nothing_is_asked(account: Path, missing: str) -> None:
    cluster = Cluster()
    with serving(cluster, account) as port:
        (account / missing).unlink()
        with pytest.raises(ApiGoneError):
            Api("127.0.0.1", port, account).call("GET", "/x", seconds=2)
    assert cluster.tokens == []


@pytest.mark.parametrize(
    "event", [[], 5, "x", {"type": "ADDED"}, {"type": "ADDED", "object": {"metadata": 7, "spec": None}}]
)
def test_events_that_are_none_are_no_harm(account: Path, event: Any) -> None:
    cluster = Cluster()
    cluster.events.append((101, event))
    cluster.version = 101
    with serving(cluster, account) as port:
        told = []
        stream = Api("127.0.0.1", port, account).watch(
            "/apis/unstuck.dev/v1/namespaces/unstuck-system/nodeprobes",
            {"watch": "1", "resourceVersion": "100"},
            5,
        )
        cluster.probe("after")
        for one in stream:
            told.append(one)
            if (one.get("object") or {}).get("metadata") not in (None, 7):
                break
        stream.close()
    assert told[-1]["object"]["metadata"]["name"] == "after"
