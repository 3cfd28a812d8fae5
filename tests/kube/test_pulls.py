"""The inputs of an image pull, from the cluster and a registry, without keeping any value of a Secret."""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import Iterator

import pytest
import trustme

from tests.kube.cluster import ask, cluster, make_list, make_object, pick
from tests.kube.server import Handler, Server, serving
from unstuck.collect.kube.questions.pulls import tags
from unstuck.collect.kube.questions.registry_realm import may_name
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import facts_of
from unstuck.facts.aspects.pulls import NodeImages, PullLinks, PullSecrets, PullServers, Tags
from unstuck.facts.codec import to_json
from unstuck.facts.core import Fact, Ref, Refused, Want

CA = trustme.CA()
PASSWORD = "hunter2-not-to-be-seen"


def held(body: object) -> str:
    return base64.b64encode(json.dumps(body).encode()).decode()


def secret(type_: str = "kubernetes.io/dockerconfigjson", **data: str) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "regcred", "namespace": "f", "uid": "u"},
        "type": type_,
        "data": data,
    }


def told(obj: dict[str, object]) -> list[Fact]:
    return facts_of(obj, "x")


def test_of_a_pull_secret_only_the_servers_are_kept():
    entry = {
        "username": "jo",
        "password": PASSWORD,
        "auth": base64.b64encode(f"jo:{PASSWORD}".encode()).decode(),
    }
    auths = {
        "https://registry.example:5000/v2/": entry,
        "other.example/shop": entry,
        f"jo:{PASSWORD}@registry.example": entry,
    }
    facts = told(secret(**{".dockerconfigjson": held({"auths": auths})}))
    assert [f.servers for f in facts if isinstance(f, PullServers)] == [
        ("https://registry.example:5000/v2/", "other.example/shop")
    ]
    shown = json.dumps([to_json(f) for f in facts])
    assert (
        PASSWORD not in shown
        and entry["auth"] not in shown
        and base64.b64encode(PASSWORD.encode()).decode() not in shown
    )


def test_the_older_type_has_its_servers_at_the_top():
    facts = told(secret("kubernetes.io/dockercfg", **{".dockercfg": held({"registry.example": {}})}))
    assert [(f.servers, f.flaw) for f in facts if isinstance(f, PullServers)] == [(("registry.example",), "")]


@pytest.mark.parametrize(
    ("obj", "flaw"),
    [
        (secret("Opaque", password="eA=="), "wrong-type"),
        (secret(**{".dockerconfigjson": held({"registry.example": {}})}), "unreadable"),
    ],
)
def test_what_the_kubelet_takes_nothing_from_is_told(obj: dict[str, object], flaw: str):
    assert [f.flaw for f in told(obj) if isinstance(f, PullServers)] == [flaw]


@pytest.mark.parametrize("value", ["REDACTED", "***", "", "bm90IGpzb24="])
def test_a_value_that_was_taken_out_says_nothing(value: str):
    assert not [f for f in told(secret(**{".dockerconfigjson": value})) if isinstance(f, PullServers)]


def test_links_names_and_images():
    account = make_object("default", "f") | {
        "kind": "ServiceAccount",
        "apiVersion": "v1",
        "imagePullSecrets": [{"name": "regcred"}],
    }
    node = make_object("n-1") | {
        "kind": "Node",
        "apiVersion": "v1",
        "status": {"images": [{"names": ["r.example/a@sha256:0a", "r.example/a:1"]}]},
    }
    pages = {
        "/api/v1/namespaces/f/serviceaccounts/default": account,
        "/api/v1/namespaces/f/secrets": make_list(make_object("regcred", "f")),
        "/api/v1/nodes/n-1": node,
    }
    with cluster(pages) as c:
        facts = ask(
            c,
            Want(PullLinks, Ref("ServiceAccount", "f", "default")),
            Want(PullSecrets, Ref("SecretList", "f")),
            Want(NodeImages, Ref("Node", None, "n-1")),
        )
        # Only names are requested, of the types for registries.
        asked = [r.path for r in c.server.seen if "/secrets" in r.path]
        assert asked and all("fieldSelector=type" in q for q in asked)
    assert [f.names for f in pick(facts, PullLinks)] == [("regcred",)]
    assert [f.names for f in pick(facts, PullSecrets)] == [("regcred",)]
    assert [f.names for f in pick(facts, NodeImages)] == [("r.example/a:1",)]


def registry(h: Handler) -> None:
    path, _, query = h.path.partition("?")
    if path == "/token":
        h.say(200, {"token": "for-strangers"} if "scope=repository%3Aprivate%3Apull" in query else {})
    elif path == "/v2/shop/web/tags/list":
        h.say(200, {"name": "shop/web", "tags": ["1.25.8", "1.26.0", "\x1b[31m", 7]})
    elif path == "/v2/private/tags/list":
        realm = f"https://{h.headers['Host']}/token"
        good = h.headers.get("Authorization") == "Bearer for-strangers"
        h.say(200, {"tags": ["2"]}) if good else h.say(
            401, {}, **{"WWW-Authenticate": f'Bearer realm="{realm}",service="r"'}
        )
    elif path == "/v2/elsewhere/tags/list":
        h.say(
            401,
            {},
            **{
                "WWW-Authenticate": f'Bearer realm="https://localhost:{h.headers["Host"].rpartition(":")[2]}/token"'
            },
        )
    elif path == "/v2/closed/tags/list":
        h.say(401, {}, **{"WWW-Authenticate": 'Basic realm="x"'})
    elif path == "/v2/moved/tags/list":
        h.say(302, {}, Location=f"https://{h.headers['Host']}/v2/shop/web/tags/list")
    else:
        h.say(404, {})


@pytest.fixture
def asked(tmp_path, monkeypatch) -> Iterator[Server]:
    file = tmp_path / "ca.pem"
    CA.cert_pem.write_to_path(str(file))
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    CA.issue_cert("127.0.0.1", "localhost").configure_cert(context)
    with serving(registry, context) as s:
        yield s


def tags_of(s: Server, path: str, *, agreed: bool = True) -> Fact:
    (fact,) = tags(
        Session(None, "f", ask_registry=agreed), Want(Tags, Ref("Repository", f"127.0.0.1:{s.port}", path))
    )
    return fact


def test_a_registry_tells_its_tags_to_a_stranger(asked: Server):
    fact = tags_of(asked, "shop/web")
    assert isinstance(fact, Tags) and fact.exists and fact.tags == ("1.25.8", "1.26.0")
    fact = tags_of(asked, "private")
    assert isinstance(fact, Tags) and fact.tags == ("2",)
    fact = tags_of(asked, "nothing")
    assert isinstance(fact, Tags) and not fact.exists


def test_what_it_keeps_to_itself_stays_open_and_nobody_is_followed_elsewhere(asked: Server):
    for path, why in (("closed", "denied"), ("moved", "not-offered")):
        fact = tags_of(asked, path)
        assert isinstance(fact, Refused) and fact.why == why


def test_a_registry_has_nobody_else_asked_for_a_token(asked: Server):
    fact = tags_of(asked, "elsewhere")
    assert isinstance(fact, Refused) and fact.why == "denied" and "of its own domain" in fact.detail
    assert [r.path.partition("?")[0] for r in asked.seen] == ["/v2/elsewhere/tags/list"]


@pytest.mark.parametrize(
    ("registry", "realm"),
    [
        ("registry-1.docker.io", "https://auth.docker.io/token"),
        ("quay.io", "https://quay.io/v2/auth"),
        ("ghcr.io", "https://ghcr.io/token"),
        ("registry.gitlab.com", "https://gitlab.com/jwt/auth"),
        ("registry.connect.redhat.com", "https://sso.redhat.com/auth/realms/rhcc/token"),
        ("docker.elastic.co", "https://docker-auth.elastic.co/auth"),
        ("shop.azurecr.io", "https://shop.azurecr.io/oauth2/token"),
        ("registry.cn-hangzhou.aliyuncs.com", "https://dockerauth.cn-hangzhou.aliyuncs.com/auth"),
        ("registry.shop.example:5000", "https://registry.shop.example:5000/auth"),
        ("registry.shop.example:5000", "https://login.shop.example/auth?a=b"),
        ("registry.shop.co.uk", "https://auth.shop.co.uk/token"),
        ("10.1.2.3:5000", "https://10.1.2.3:5000/token"),
        ("[fd12::5]:5000", "https://[fd12::5]:5000/token"),
    ],
)
def test_it_names_itself_or_a_neighbour_as_the_service_of_its_tokens(registry: str, realm: str):
    assert may_name(registry, realm)


@pytest.mark.parametrize(
    ("registry", "realm"),
    [
        ("registry.shop.example", "http://registry.shop.example/token"),
        ("registry.shop.example", "https://169.254.169.254/latest/meta-data"),
        ("registry.shop.example", "https://10.0.0.1:6443/api"),
        ("registry.shop.example", "https://kubernetes.default.svc/api"),
        ("registry.shop.example", "https://[::ffff:10.0.0.1]/"),
        ("registry.shop.example", "https://0x7f.1/"),
        ("registry.shop.example", "https://registry.shop.example:10250/pods"),
        ("registry.shop.example", "https://notshop.example/"),
        ("registry.shop.example", "https://shop.example.evil.example/"),
        ("registry.shop.example", "https://shop.example@evil.example/"),
        ("registry.shop.example", "https://evil.example#.shop.example/"),
        ("registry.shop.example", "https://evil.example\\.shop.example/"),
        ("registry.shop.example", "https://auth.shop.example/ token"),
        ("registry.shop.example", "https:///token"),
        ("registry.shop.example", "file:///etc/shadow"),
        ("registry.shop.example", ""),
        ("registry.shop.example", "https://[broken/"),
        ("registry.shop.example", "https://auth.shop.example:99999/"),
        ("evil.co.uk", "https://victim.co.uk/"),
        ("evil.azurecr.io", "https://victim.azurecr.io/"),
        ("123456789012.dkr.ecr.eu-west-1.amazonaws.com", "https://s3.us-east-1.amazonaws.com/"),
        ("evil.tenant.svc", "https://kubernetes.default.svc/"),
        ("evil.tenant.svc.cluster.local", "https://kubernetes.default.svc.cluster.local/"),
        ("10.1.2.3", "https://10.1.2.4/"),
        ("registry", "https://vault/"),
    ],
)
def test_it_names_no_stranger(registry: str, realm: str):
    assert not may_name(registry, realm)


def test_nobody_is_asked_unless_that_is_wanted(asked: Server):
    fact = tags_of(asked, "shop/web", agreed=False)
    assert isinstance(fact, Refused) and fact.why == "not-asked"
    assert not asked.seen
