"""Passwords from any place in a kubeconfig or the environment never appear in visible text."""

from __future__ import annotations

import itertools
import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import scale_examples
from tests.kube.server import listening, serving
from tests.kube.test_proxy import connect_proxy, socks_proxy
from unstuck.collect.kube.collector import KubeCollector
from unstuck.collect.kube.transport.address import format_address
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.connection import target
from unstuck.collect.kube.transport.credentials import Credential
from unstuck.collect.kube.transport.kubeconfig import Access, Exec, find_access
from unstuck.errors import UnstuckError
from unstuck.facts.aspects.objects import Names, Server
from unstuck.facts.core import Ref, Want

SECRET = "S3cretPass"
# Passwords with all possible characters, encoded or not.
PASSWORDS = (
    SECRET,
    f"{SECRET}/x",
    f"{SECRET}@x",
    f"{SECRET}:x",
    f"[{SECRET}",
    f"{SECRET}#x",
    f"{SECRET}?x",
    f"%40{SECRET}",
    f"{SECRET} x",
)


def addresses(host: str) -> Iterator[str]:
    """Yield addresses with a password, in valid and invalid forms."""
    for scheme, password in itertools.product(("https", "http", "socks5", "ftp", "HTTP"), PASSWORDS):
        yield f"{scheme}://alice:{password}@{host}"
    yield from (
        f"alice:{SECRET}@{host}",
        f"//alice:{SECRET}@{host}",
        f"https://alice:{SECRET}",
        f"https://alice:{SECRET}@",
    )
    yield from (
        f"https://{SECRET}@{host}",
        f"https://{host}:{SECRET}",
        f"https://{host}/?password={SECRET}",
        f"https://{host}#{SECRET}",
    )


def words_of(error: UnstuckError) -> str:
    return f"{error.said.en}\n{error.said.zh}\n{error!r}"


def everything_said(kubeconfig: object, tmp_path: Path, env: dict[str, str]) -> str:
    """Return all text of a question to such a cluster: errors, facts, sources, the client's requests."""
    file = tmp_path / "config"
    file.write_text(kubeconfig if isinstance(kubeconfig, str) else json.dumps(kubeconfig))
    said = ""
    try:
        client = Client(find_access(None, str(file), None, {}), 1.5, env=env)
        collector = KubeCollector(client)
        said += f"{collector.source} {client.requests}"
        reply = client.get("/version", retries=0)
        said += f"{reply.path} {reply.detail} {reply.message}"
        if (error := client.error(reply)) is not None:
            said += words_of(error)
        facts = collector.collect([Want(Server, Ref("Cluster")), Want(Names, Ref("ConfigMapList", "shop"))])
        said += "".join(map(repr, facts))
        collector.start(Ref("Pod", "shop", "x"))
    except UnstuckError as e:
        said += words_of(e)
    return said


def kubeconfig(cluster: dict[str, object], user: dict[str, object] | None = None) -> dict[str, object]:
    return {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "jo"}}],
        "clusters": [{"name": "k", "cluster": cluster}],
        "users": [{"name": "jo", "user": user or {}}],
    }


@pytest.fixture(scope="module")
def closed() -> str:
    """Return an address without a listener."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{s.getsockname()[1]}"


def test_of_a_server(closed, tmp_path):
    for server in addresses(closed):
        said = everything_said(kubeconfig({"server": server}), tmp_path, {})
        assert SECRET not in said and said, server


def test_of_a_proxy(closed, tmp_path):
    for proxy in addresses(closed):
        said = everything_said(
            kubeconfig({"server": "https://api.corp.test", "proxy-url": proxy}), tmp_path, {}
        )
        assert SECRET not in said and said, proxy


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy"])
def test_of_a_proxy_of_the_environment(variable, closed, tmp_path):
    for proxy in addresses(closed):
        said = everything_said(kubeconfig({"server": "https://api.corp.test"}), tmp_path, {variable: proxy})
        assert SECRET not in said and said, proxy


@pytest.mark.parametrize(
    ("scheme", "talk"), [("http", connect_proxy(0, [], refuse=True)), ("socks5", socks_proxy(0, [], 5))]
)
def test_of_a_proxy_that_refuses(scheme, talk, tmp_path):
    with listening(talk) as port:
        cluster = {
            "server": f"https://bob:{SECRET}@api.corp.test",
            "proxy-url": f"{scheme}://alice:{SECRET}@127.0.0.1:{port}",
        }
        said = everything_said(kubeconfig(cluster), tmp_path, {})
    assert SECRET not in said and f"{scheme}://127.0.0.1:{port}" in said and "https://api.corp.test" in said


@pytest.mark.parametrize("status", [200, 400, 401, 403, 500])
@pytest.mark.parametrize(
    "user",
    [
        {"token": SECRET},
        {"token": f"{SECRET}\r\nX: y"},
        {"username": "jo", "password": SECRET},
        {
            "auth-provider": {
                "name": "oidc",
                "config": {"id-token": SECRET, "client-secret": SECRET, "refresh-token": SECRET},
            }
        },
        {"client-key-data": SECRET, "client-certificate-data": SECRET},
    ],
    ids=["token", "token with a line break", "basic", "auth provider", "key"],
)
def test_of_a_user_whatever_the_server_says(user, status, tmp_path):
    with serving(lambda h: h.say(status, {"kind": "Status", "message": "because"})) as s:
        said = everything_said(
            kubeconfig({"server": f"http://alice:{SECRET}@127.0.0.1:{s.port}"}, user), tmp_path, {}
        )
    assert SECRET not in said and said


@pytest.mark.parametrize("ends", ["sys.exit(1)", "pass"], ids=["fails", "prints nothing"])
def test_of_a_plugin(ends, tmp_path):
    script = tmp_path / "plugin.py"
    script.write_text(
        "import os, sys\n"
        "print('Post https://alice:' + os.environ['PROXY_PASSWORD'] + '@proxy.corp: password=' + "
        "sys.argv[1], file=sys.stderr)\n" + ends
    )
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": sys.executable,
        "args": [str(script), SECRET],
        "env": [{"name": "PROXY_PASSWORD", "value": SECRET}],
        "installHint": f"get it from https://alice:{SECRET}@tools.corp/",
    }
    for command in (sys.executable, "/no/such/plugin"):
        said = everything_said(
            kubeconfig(
                {"server": "https://127.0.0.1:1", "proxy-url": f"http://alice:{SECRET}@127.0.0.1:1"},
                {"exec": {**plugin, "command": command}},
            ),
            tmp_path,
            {},
        )
        assert SECRET not in said and "credential plugin" in said


@pytest.mark.parametrize(
    "text",
    [
        f"users: [{{name: jo, user: {{token: *{SECRET}}}}}]",
        f"users:\n- name: jo\n  user: {{token: {SECRET}: x: y}}",
        f"users:\n- name: jo\n  user:\n    token: !{SECRET} x",
        f"users:\n- name: jo\n  user:\n    token: !!int {SECRET}",
        f'users:\n- name: jo\n  user:\n    token: "{SECRET}\n  x: y',
        f"users:\n\t{SECRET}: [",
    ],
)
@pytest.mark.parametrize("in_c", [True, False])
def test_of_a_kubeconfig_that_is_no_yaml(text, in_c, tmp_path, monkeypatch):
    if not in_c:
        monkeypatch.delattr("yaml.CSafeLoader")
    said = everything_said(text, tmp_path, {})
    assert SECRET not in said and "is not valid YAML" in said


@given(
    st.sampled_from(["", "https://", "http://", "socks5://", "://", "//"]),
    st.text(max_size=8),
    st.text(max_size=6),
    st.text(st.characters(exclude_characters="@"), max_size=8),
)
@settings(max_examples=scale_examples(300), deadline=None)
def test_nothing_before_the_last_at_is_named(scheme, before, after, host):
    shown = format_address(f"{scheme}{before}:{SECRET}{after}@{host}")
    assert SECRET not in shown and "@" not in shown


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://api.corp:6443", "https://api.corp:6443"),
        ("https://gateway.corp/k8s/clusters/c-1", "https://gateway.corp/k8s/clusters/c-1"),
        ("https://[::1]:6443", "https://[::1]:6443"),
        ("api.corp:6443", "api.corp:6443"),
        ("https://alice:x@api.corp:6443/p", "https://api.corp:6443/p"),
        ("https://api.corp:port", "https://api.corp:…"),
    ],
)
def test_what_is_named(address, shown):
    assert format_address(address) == shown


def test_no_record_of_a_connection_puts_it_into_words():
    """A record's form has all its fields; these would be in an assertion's or a traceback's words."""
    plugin = Exec("v1", "x", (SECRET,), (("PASSWORD", SECRET),))
    access = Access(
        "c",
        f"https://alice:{SECRET}@x",
        token=SECRET,
        proxy=f"http://a:{SECRET}@p",
        basic=("a", SECRET),
        plugin=plugin,
    )
    for record in (
        access,
        plugin,
        Credential(token=SECRET, key=SECRET),
        target(access.server, None, None, access.proxy),
    ):
        assert SECRET not in repr(record) and repr(record)
