"""TLS as kubeconfig describes it, with real certificates; and credential plugins that are real programs."""

from __future__ import annotations

import base64
import json
import ssl
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from tests.kube.server import Handler, Server, serving
from unstuck.collect.kube.transport.client import Client, load_client
from unstuck.collect.kube.transport.credentials import run_plugin
from unstuck.collect.kube.transport.kubeconfig import Access, Exec
from unstuck.collect.kube.transport.tls import read_not_after
from unstuck.errors import AccessError

CA = trustme.CA()
OTHER = trustme.CA()
CA_PEM = CA.cert_pem.bytes().decode()


def pair(ca: trustme.CA, *names: str, until: datetime | None = None) -> tuple[str, str]:
    cert = ca.issue_cert(*names, organization_name="jo", not_after=until)
    return "".join(b.bytes().decode() for b in cert.cert_chain_pems), cert.private_key_pem.bytes().decode()


def server_tls(*names: str, clients: trustme.CA | None = None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    CA.issue_cert(*names).configure_cert(context)
    if clients:
        clients.configure_trust(context)
        context.verify_mode = ssl.CERT_OPTIONAL
    return context


def who(h: Handler) -> None:
    """Answer like an API server: the user by certificate or token, 401 without either."""
    token = h.headers.get("Authorization", "").removeprefix("Bearer ")
    name = h.peer() or {"good": "plugin"}.get(token, "")
    h.say(200 if name else 401, {"user": name, "message": "" if name else "Unauthorized"})


def over_tls(clients: trustme.CA | None = CA):
    return serving(who, server_tls("127.0.0.1", clients=clients))


def client(s: Server, **access: object) -> Client:
    return Client(Access("test", s.url, **{"ca": CA_PEM, **access}), 5, env={})


def plugin(tmp_path: Path, body: str, **more: object) -> Exec:
    """Write a credential plugin: a program that prints the result of `body` and counts its runs."""
    script = tmp_path / "plugin.py"
    runs = tmp_path / "runs"
    script.write_text(f"import json, os, sys, time\nopen({str(runs)!r}, 'a').write('x')\n{body}\n")
    return Exec("client.authentication.k8s.io/v1", sys.executable, (str(script),), **more)


def printed(**status: object) -> str:
    return f"print({json.dumps({'kind': 'ExecCredential', 'status': status})!r})"


def test_a_client_certificate_says_who_you_are():
    cert, key = pair(CA, "jo@example.com")
    with over_tls() as s:
        assert client(s, cert=cert, key=key).get("/x").doc["user"] == "jo"


def test_a_server_of_another_ca_is_refused_in_one_line():
    with over_tls() as s, pytest.raises(AccessError, match="cannot be trusted") as e:
        client(s, ca=OTHER.cert_pem.bytes().decode()).get("/x")
    assert "certificate-authority" in str(e.value)
    assert "\n" not in str(e.value)


def test_insecure_skips_the_check():
    with over_tls() as s:
        assert client(s, ca=None, insecure=True, token="good").get("/x").ok


def test_the_certificates_name_may_be_another_than_the_address():
    with serving(who, server_tls("api.internal")) as s:
        with pytest.raises(AccessError, match="cannot be trusted"):
            client(s, token="good").get("/x")
        assert client(s, tls_name="api.internal", token="good").get("/x").ok


def test_an_expired_client_certificate_is_named_with_its_date():
    cert, key = pair(CA, "jo@example.com", until=datetime.now(UTC) - timedelta(days=2))
    with serving(lambda h: h.say(401, {"message": "Unauthorized"}), server_tls("127.0.0.1")) as s:
        c = client(s, cert=cert, key=key, user="jo", cert_from="/home/jo/jo.crt")
        text = str(c.error(c.get("/x")))
    assert "its client certificate (/home/jo/jo.crt) expired at" in text
    assert (datetime.now(UTC) - timedelta(days=2)).strftime("%Y-%m-%d") in text


def test_not_after_reads_both_forms_of_time_and_nothing_from_garbage():
    late = datetime(2060, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert read_not_after(pair(CA, "a.example", until=late)[0]) == late
    soon = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert read_not_after(pair(CA, "a.example", until=soon)[0]) == soon
    for garbage in ("", "x", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----", CA_PEM[:200]):
        assert read_not_after(garbage) is None
    for cut in (b"", b"\x30", b"\x30\x82", b"\x30\x03\x30\x84\xff"):
        pem = f"-----BEGIN CERTIFICATE-----\n{base64.b64encode(cut).decode()}\n-----END CERTIFICATE-----"
        assert read_not_after(pem) is None


@pytest.mark.parametrize("what", ["cert", "ca"])
def test_certificates_that_do_not_read_are_one_line(what):
    cert, key = pair(CA, "jo@example.com")
    broken = {"cert": {"cert": "no pem", "key": key}, "ca": {"ca": "no pem", "cert": cert, "key": key}}[what]
    with over_tls() as s, pytest.raises(AccessError, match="does not read"):
        client(s, **broken).get("/x")


def test_a_plugins_token_is_used_and_asked_for_once(tmp_path):
    with over_tls() as s:
        c = client(s, plugin=plugin(tmp_path, printed(token="good")))
        assert [c.get(p).doc["user"] for p in ("/x", "/y")] == ["plugin", "plugin"]
    assert (tmp_path / "runs").read_text() == "x"


def test_a_plugins_certificate_is_used(tmp_path):
    cert, key = pair(CA, "jo@example.com")
    with over_tls() as s:
        c = client(s, plugin=plugin(tmp_path, printed(clientCertificateData=cert, clientKeyData=key)))
        assert c.get("/x").doc["user"] == "jo"


def test_a_refused_plugin_credential_is_renewed_once(tmp_path):
    body = f"n = os.path.getsize({str(tmp_path / 'runs')!r})\n" + (
        "print(json.dumps({'kind': 'ExecCredential', 'status': {'token': 'good' if n > 1 else 'old'}}))"
    )
    with over_tls() as s:
        c = client(s, plugin=plugin(tmp_path, body))
        assert c.get("/x").ok
    assert (tmp_path / "runs").read_text() == "xx"


def test_a_plugins_credential_that_runs_out_is_renewed(tmp_path):
    with over_tls() as s:
        c = client(
            s, plugin=plugin(tmp_path, printed(token="good", expirationTimestamp="2020-01-01T00:00:00Z"))
        )
        assert c.get("/x").ok
        assert c.get("/y").ok
    assert len((tmp_path / "runs").read_text()) >= 2


def test_a_plugin_is_told_the_cluster_and_that_nobody_is_there(tmp_path):
    body = "info = json.loads(os.environ['KUBERNETES_EXEC_INFO'])\n" + (
        "assert not sys.stdin.read() and not info['spec']['interactive'] and "
        "info['spec']['cluster']['server'] and os.environ['A'] == 'b'\n"
    )
    with over_tls() as s:
        given = plugin(tmp_path, body + printed(token="good"), cluster_info=True, env=(("A", "b"),))
        assert client(s, plugin=given).get("/x").ok


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("sys.stderr.write('first\\nsession expired\\n'); sys.exit(3)", "failed with 3: session expired"),
        ("print('hello')", "did not print an ExecCredential"),
        ("print('{}')", "printed neither a token nor a certificate"),
        ("print('null')", "printed neither a token nor a certificate"),
    ],
)
def test_a_plugin_that_gives_nothing_is_one_line(tmp_path, body, says):
    with over_tls() as s, pytest.raises(AccessError, match=says) as e:
        client(s, plugin=plugin(tmp_path, body)).get("/x")
    assert "\n" not in str(e.value)


def test_a_plugin_that_hangs_ends(tmp_path):
    with pytest.raises(AccessError, match=r"gave nothing within 0\.5 s"):
        run_plugin(plugin(tmp_path, "time.sleep(60)"), Access("test", "https://x"), 0.5)


def test_a_plugin_that_is_not_installed_says_how_to_install_it():
    with (
        over_tls() as s,
        pytest.raises(AccessError, match=r"does not run: No such file or directory; install it with: x"),
    ):
        client(s, plugin=Exec("v1", "/no/such/plugin", hint="install it with: x")).get("/x")


def test_a_plugin_that_wants_a_terminal_is_refused(tmp_path):
    with over_tls() as s, pytest.raises(AccessError, match="wants a terminal"):
        client(s, plugin=plugin(tmp_path, printed(token="good"), interactive=True)).get("/x")


def test_a_kubeconfig_with_files_beside_it_works_from_end_to_end(tmp_path):
    cert, key = pair(CA, "jo@example.com")
    for name, text in (("ca.crt", CA_PEM), ("jo.crt", cert), ("jo.key", key)):
        (tmp_path / name).write_text(text)
    with over_tls() as s:
        config = {
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "jo", "namespace": "shop"}}],
            "clusters": [{"name": "k", "cluster": {"server": s.url, "certificate-authority": "ca.crt"}}],
            "users": [{"name": "jo", "user": {"client-certificate": "jo.crt", "client-key": "jo.key"}}],
        }
        (tmp_path / "config").write_text(json.dumps(config))
        c = load_client(kubeconfig=str(tmp_path / "config"))
        assert (c.get("/x").doc["user"], c.namespace, c.context) == ("jo", "shop", "c")
