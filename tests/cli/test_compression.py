"""The choice of compressed answers: by option, by the kubeconfig, by the address of the connection; never by
a clock.
"""

from __future__ import annotations

import gzip
import json
import socket
from pathlib import Path

import pytest

from tests.kube.server import Handler, Server, listening, serving
from tests.kube.test_client import client, ok
from tests.kube.test_kubeconfig import CONFIG, write
from tests.kube.test_proxy import connect_proxy, socks_proxy
from unstuck.cli.cluster_options import overrides_of
from unstuck.collect.kube.transport import connection
from unstuck.collect.kube.transport.compression import Compress, accept_encoding
from unstuck.collect.kube.transport.kubeconfig import find_access
from unstuck.collect.kube.transport.overrides import Overrides

DOCUMENT = {"kind": "PodList", "items": [{"metadata": {"name": f"web-{i}"}} for i in range(9)]}
# An address of the documentation range, without a machine.
FAR = "203.0.113.7"


def as_asked(h: Handler) -> None:
    """Answer with a long document in the way of the API server."""
    said = json.dumps(DOCUMENT).encode()
    if h.headers["Accept-Encoding"] == "gzip":
        h.say(200, gzip.compress(said), Content_Encoding="gzip")
    else:
        h.say(200, said)


def asked(server: Server) -> list[str]:
    return [h.headers["Accept-Encoding"] for h in server.seen]


@pytest.mark.parametrize(
    ("peer", "encoding"),
    [
        *(
            (peer, "identity")
            for peer in (
                "127.0.0.1",
                "10.0.0.1",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.1.1",
                "169.254.1.1",
            )
        ),
        *((peer, "identity") for peer in ("::1", "fe80::1", "fe80::1%eth0", "fd00::1", "::ffff:10.0.0.1")),
        *(
            (peer, "gzip")
            for peer in ("8.8.8.8", "172.32.0.1", "192.169.0.1", "100.64.0.1", "198.18.0.5", FAR)
        ),
        *((peer, "gzip") for peer in ("2001:db8::1", "2606:4700::1", "::ffff:8.8.8.8", "", "no address")),
    ],
)
def test_the_address_decides_unless_it_was_said(peer: str, encoding: str) -> None:
    assert accept_encoding("auto", peer) == encoding
    assert (accept_encoding("always", peer), accept_encoding("never", peer)) == ("gzip", "identity")


@pytest.mark.parametrize(
    ("compress", "peer", "encoding"),
    [
        ("auto", "127.0.0.1", "identity"),
        ("auto", "10.1.2.3", "identity"),
        ("auto", FAR, "gzip"),
        ("always", "10.1.2.3", "gzip"),
        ("never", FAR, "identity"),
    ],
)
def test_every_request_asks_so_and_the_answer_is_the_same(
    compress: Compress, peer: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_peer", lambda _: peer)
    with serving(as_asked) as s:
        c = client(s.url, compress=compress)
        found = [c.get("/x"), c.get("/x", whole_list=True), c.write("POST", "/x", {})]
        assert [r.doc for r in found] == [DOCUMENT] * 3
        assert asked(s) == [encoding] * 3


def test_a_name_is_judged_by_the_address_that_was_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *a, **k: real("127.0.0.1" if host == "api.example" else host, *a, **k),
    )
    with serving(ok) as s:
        assert client(f"http://api.example:{s.port}").get("/x").ok
        assert client(f"http://localhost:{s.port}").get("/x").ok
        assert asked(s) == ["identity"] * 2


@pytest.mark.parametrize(("scheme", "through"), [("http", connect_proxy), ("socks5", socks_proxy)])
@pytest.mark.parametrize("server", ["http://cluster.example", "http://10.0.0.1"])
def test_where_a_server_behind_a_proxy_is_nobody_knows(scheme: str, through: object, server: str) -> None:
    with serving(as_asked) as s, listening(through(s.port, [])) as port:
        for compress in ("auto", "never"):
            assert (
                client(server, proxy=f"{scheme}://127.0.0.1:{port}", compress=compress).get("/x").doc
                == DOCUMENT
            )
        assert asked(s) == ["gzip", "identity"]


def test_a_connection_that_has_gone_tells_no_address() -> None:
    with socket.socket() as never_connected:
        assert connection._peer(never_connected) == ""


@pytest.mark.parametrize(
    ("set_to", "given", "compress"),
    [
        (True, "auto", "never"),
        (False, "auto", "auto"),
        (None, "auto", "auto"),
        (True, "always", "always"),
        (None, "never", "never"),
    ],
)
def test_the_command_line_goes_before_the_kubeconfig(
    set_to: bool | None, given: Compress, compress: str, tmp_path: Path
) -> None:
    cluster = {"server": "https://one:6443"} | ({} if set_to is None else {"disable-compression": set_to})
    config = {
        **CONFIG,
        "clusters": [{"name": "k", "cluster": cluster}],
        "contexts": [{"name": "lab", "context": {"cluster": "k"}}],
    }
    access = find_access("lab", write(tmp_path / "c", config), None, {}, Overrides(compress=given))
    assert access.compress == compress


def test_the_option_alone_is_something_said() -> None:
    assert overrides_of({"compress": "never"}) == Overrides(compress="never")
    assert overrides_of({"compress": None}) is None
