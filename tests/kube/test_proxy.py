"""Through CONNECT and SOCKS5 proxies, real ones on loopback, to a server that sits behind them."""

from __future__ import annotations

import base64
import socket

import pytest

from tests.kube.server import forward, listening, serving
from tests.kube.test_client import client, ok
from unstuck.collect.kube.transport.address import proxy_from
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.kubeconfig import Access
from unstuck.errors import AccessError


def connect_proxy(to: int, seen: list[bytes], refuse: bool = False):
    def talk(connection: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(4096)
        seen.append(head)
        if refuse:
            connection.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            connection.close()
            return
        connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        forward(connection, socket.create_connection(("127.0.0.1", to)))

    return talk


def socks_proxy(to: int, seen: list[bytes], reply: int = 0):
    def talk(connection: socket.socket) -> None:
        seen.append(connection.recv(2 + 1))
        wants_user = seen[-1][2] == 2
        connection.sendall(b"\x05\x02" if wants_user else b"\x05\x00")
        if wants_user:
            seen.append(connection.recv(512))
            connection.sendall(b"\x01\x00")
        seen.append(connection.recv(512))
        connection.sendall(bytes([5, reply, 0, 1]) + b"\0" * 6)
        if reply == 0:
            forward(connection, socket.create_connection(("127.0.0.1", to)))

    return talk


def test_through_a_connect_proxy_with_a_password():
    seen: list[bytes] = []
    with serving(ok) as s, listening(connect_proxy(s.port, seen)) as port:
        assert client("http://cluster.example:6443", proxy=f"http://me:p%40ss@127.0.0.1:{port}").get("/x").ok
    assert seen[0].startswith(b"CONNECT cluster.example:6443 HTTP/1.")
    assert b"Proxy-Authorization: Basic " + base64.b64encode(b"me:p@ss") in seen[0]


def test_a_proxy_that_refuses_is_told_with_its_words():
    with listening(connect_proxy(0, [], refuse=True)) as port:
        reply = client("http://cluster.example:6443", proxy=f"http://127.0.0.1:{port}").get("/x", retries=0)
    assert reply.why == "unreachable"
    assert "407" in reply.detail


def test_through_a_socks5_proxy_that_resolves_the_name():
    seen: list[bytes] = []
    with serving(ok) as s, listening(socks_proxy(s.port, seen)) as port:
        assert client("http://cluster.example:6443", proxy=f"socks5://me:pw@127.0.0.1:{port}").get("/x").ok
    assert seen[1] == b"\x01\x02me\x02pw"
    assert b"cluster.example" in seen[2]


@pytest.mark.parametrize("reply", [1, 5])
def test_a_socks5_proxy_that_cannot_connect_is_unreachable(reply):
    with listening(socks_proxy(0, [], reply)) as port:
        assert (
            client("http://cluster.example", proxy=f"socks5://127.0.0.1:{port}").get("/x", retries=0).why
            == "unreachable"
        )


def test_a_proxy_that_hangs_is_a_timeout():
    with listening(lambda c: c.recv(1) and None) as port:
        assert (
            client("http://cluster.example", 0.4, proxy=f"socks5://127.0.0.1:{port}").get("/x", retries=0).why
            == "timeout"
        )


def test_a_proxy_of_another_kind_is_refused_in_one_line():
    with pytest.raises(AccessError, match="proxy-url 'ftp://x' cannot be used"):
        client("http://127.0.0.1:1", proxy="ftp://x").get("/x")


def test_the_environments_proxy_is_used_unless_the_server_is_excepted():
    env = {"HTTPS_PROXY": "proxy:3128", "NO_PROXY": "10.0.0.0/8,.corp.example,exact.example"}
    assert proxy_from(env, "https://api.cloud.example") == "http://proxy:3128"
    for direct in (
        "https://10.1.2.3:6443",
        "https://a.corp.example",
        "https://exact.example",
        "https://127.0.0.1",
        "https://localhost",
    ):
        assert proxy_from(env, direct) is None
    assert proxy_from({"HTTPS_PROXY": "http://p", "no_proxy": "*"}, "https://x") is None


def test_the_environments_proxy_is_really_used():
    seen: list[bytes] = []
    with serving(ok) as s, listening(connect_proxy(s.port, seen)) as port:
        c = Client(
            Access("test", "http://cluster.example"), 5, env={"HTTP_PROXY": f"http://127.0.0.1:{port}"}
        )
        assert c.get("/x").ok
    assert seen


def told(server: str, proxy: str | None, env: dict[str, str] | None = None, seconds: float = 20):
    c = Client(Access("test", server, proxy=proxy), seconds, env=env or {})
    error = c.error(c.get("/x", retries=0))
    assert error is not None
    return error


def unused_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


@pytest.mark.parametrize("scheme", ["http", "socks5"])
def test_a_proxy_that_does_not_run_is_named_and_its_password_is_not(scheme):
    port = unused_port()
    error = told("https://cluster.example:6443", f"{scheme}://me:hunter2@127.0.0.1:{port}")
    for text in (error.said.en, error.said.zh):
        assert (
            f"{scheme}://127.0.0.1:{port} " in text.replace("（", " ")
            and "proxy-url" in text
            and "hunter2" not in text
        )
    assert "does not answer: Connection refused; https://cluster.example:6443 was not asked" in error.said.en


def test_a_proxy_of_the_environment_is_named_with_its_variable():
    error = told("http://cluster.example", None, {"HTTP_PROXY": f"127.0.0.1:{unused_port()}"})
    assert "(HTTP_PROXY) does not answer" in error.said.en and "proxy-url" not in error.said.en


def test_a_proxy_whose_name_is_unknown_is_named():
    assert (
        "the proxy http://proxy.invalid:1 " in told("https://127.0.0.1:1", "http://proxy.invalid:1").said.en
    )


@pytest.mark.parametrize(
    ("scheme", "proxy"), [("http", connect_proxy(0, [], refuse=True)), ("socks5", socks_proxy(0, [], 5))]
)
def test_what_a_proxy_cannot_reach_is_not_the_proxys_silence(scheme, proxy):
    with listening(proxy) as port:
        error = told("http://cluster.example:6443", f"{scheme}://127.0.0.1:{port}")
    assert (
        f"http://cluster.example:6443 cannot be reached through the proxy {scheme}://127.0.0.1:{port}"
        in error.said.en
    )


def test_a_proxy_that_says_nothing_is_told_too():
    with listening(lambda connection: connection.recv(1 << 16) and connection.recv(1)) as port:
        error = told("http://cluster.example", f"http://127.0.0.1:{port}", seconds=0.5)
    assert "through the proxy" in error.said.en and "no answer within the deadline" in error.said.en


def test_a_server_behind_a_proxy_that_works_is_not_blamed_on_the_proxy():
    with serving(lambda h: h.drop()) as s, listening(connect_proxy(s.port, [])) as port:
        error = told("http://cluster.example", f"http://127.0.0.1:{port}")
    assert "proxy http" not in str(
        error.message
    ) and "cluster.example (context 'test') does not answer" in str(error)
