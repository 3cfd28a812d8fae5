"""Plain http: no credentials but, on loopback, a token or a password of the kubeconfig; a credential
plugin never runs.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from tests.kube.server import Handler, Server, listening, serving
from tests.kube.test_client import client, ok
from tests.kube.test_proxy import connect_proxy
from unstuck.collect.kube.collector import KubeCollector
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.credentials import sendable
from unstuck.collect.kube.transport.kubeconfig import Access, Exec
from unstuck.errors import AccessError
from unstuck.facts.core import Ref

ANONYMOUS = 'pods "x" is forbidden: User "system:anonymous" cannot get resource "pods"'
SENT = ["Authorization", "Proxy-Authorization", "Cookie"]


def all_kinds(tmp_path: Path, ran: Path) -> dict[str, dict[str, object]]:
    """Return each kind of credentials in a kubeconfig."""
    file = tmp_path / "token"
    file.write_text("SECRETTOKEN")
    script = tmp_path / "plugin.py"
    script.write_text(
        f"open({str(ran)!r}, 'w').close()\n"
        'print(\'{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": '
        '{"token": "PLUGTOKEN"}}\')\n'
    )
    return {
        "token": {"token": "SECRETTOKEN"},
        "token file": {"token_file": str(file)},
        "basic": {"basic": ("me", "SECRET")},
        "plugin": {"plugin": Exec("client.authentication.k8s.io/v1", sys.executable, (str(script),))},
    }


KINDS = ["token", "token file", "basic", "plugin"]


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch):
    """Provide the name of another machine that resolves to the test's own server."""
    real = socket.getaddrinfo

    def resolve(host: object, *args: object, **more: object):
        return real("127.0.0.1" if host == "api.corp.test" else host, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return "api.corp.test"


@pytest.mark.parametrize("scheme", ["http", "HTTP"])
@pytest.mark.parametrize("kind", KINDS)
def test_over_plain_http_to_another_machine_nothing_is_sent_and_no_plugin_runs(
    kind, scheme, elsewhere, tmp_path
):
    ran = tmp_path / "ran"
    with serving(ok) as s:
        assert client(f"{scheme}://{elsewhere}:{s.port}", **all_kinds(tmp_path, ran)[kind]).get("/x").ok
        assert [h.headers.get(name) for h in s.seen for name in SENT] == [None] * 3
    assert not ran.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_through_a_proxy_loopback_is_another_machines(kind, tmp_path):
    ran, seen = tmp_path / "ran", []
    with serving(ok) as s, listening(connect_proxy(s.port, seen)) as port:
        assert (
            client("http://127.0.0.1:1", proxy=f"http://127.0.0.1:{port}", **all_kinds(tmp_path, ran)[kind])
            .get("/x")
            .ok
        )
        assert s.seen[0].headers.get("Authorization") is None
    assert seen and not ran.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_on_loopback_what_stands_in_the_kubeconfig_is_sent_and_no_plugin_runs(kind, tmp_path):
    ran = tmp_path / "ran"
    with serving(ok) as s:
        client(s.url, **all_kinds(tmp_path, ran)[kind]).get("/x")
        sent = s.seen[0].headers.get("Authorization")
    assert sent == {"basic": "Basic bWU6U0VDUkVU", "plugin": None}.get(kind, "Bearer SECRETTOKEN")
    assert not ran.exists()


@pytest.mark.parametrize(
    ("server", "token", "plugin"),
    [
        ("https://api.corp:6443", True, True),
        ("HTTPS://api.corp", True, True),
        ("api.corp:6443", True, True),  # reached by https
        ("https://127.0.0.1:6443", True, True),
        ("http://127.0.0.1:8001", True, False),
        ("http://127.8.8.8", True, False),
        ("http://[::1]:8001", True, False),
        ("http://localhost:8001", True, False),
        ("http://LOCALHOST", True, False),
        ("http://localhost.corp", False, False),
        ("http://127.0.0.1.nip.io", False, False),
        ("http://127.1", False, False),  # the result depends on the resolver
        ("http://localhost@api.corp", False, False),
        ("http://api.corp#@localhost", False, False),
        ("http://10.0.0.1", False, False),
        ("http://0.0.0.0", False, False),
        ("http://[::ffff:10.0.0.1]", False, False),
        ("http://[fe80::1]", False, False),
    ],
)
def test_what_may_go_where(server, token, plugin):
    access = Access(
        "c", server, token="t", basic=("a", "b"), token_file="/f", cert="c", key="k", plugin=Exec("v1", "x")
    )
    left = sendable(access)
    assert (left.token, left.basic, left.token_file) == (
        ("t", ("a", "b"), "/f") if token else (None, None, None)
    )
    assert (left.plugin, left.cert, left.key) == ((access.plugin, "c", "k") if plugin else (None, None, None))


@pytest.mark.parametrize(("status", "message"), [(401, "Unauthorized"), (403, ANONYMOUS)])
@pytest.mark.parametrize("kind", KINDS)
def test_who_is_refused_is_told_why_nothing_was_sent(kind, status, message, elsewhere, tmp_path):
    def refuse(h: Handler) -> None:
        h.say(status, {"kind": "Status", "message": message})

    with serving(refuse) as s:
        c = Client(
            Access(
                "test",
                f"http://{elsewhere}:{s.port}",
                user="jo",
                **all_kinds(tmp_path, tmp_path / "ran")[kind],
            ),
            5,
            env={},
        )
        with pytest.raises(AccessError) as e:
            KubeCollector(c).start(Ref("Pod", "shop", "x"))
    assert (
        "over plain http no credentials of user 'jo' of context 'test' were sent, and no credential "
        "plugin was run"
    ) in str(e.value)
    assert str(e.value).endswith("; write https:// for the server of the kubeconfig's cluster")
    assert "明文 http" in e.value.said.zh and str(e.value).count("plain http") == 1


def refused_by(s: Server, **access: object) -> str:
    c = client(s.url, user="jo", **access)
    return str(c.error(c.get("/x")))


def test_who_had_none_or_sent_them_is_not_told_so():
    with serving(lambda h: h.say(401, {"message": "Unauthorized"})) as s:
        assert "plain http" not in refused_by(s)
        assert "refused the credentials of user 'jo'" in refused_by(s, token="t")
        assert "over plain http no credentials" in refused_by(s, plugin=Exec("v1", "never-run"))
