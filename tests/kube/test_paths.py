"""Names in the paths of requests: one segment each for any characters, and none leads to another path."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import unquote

import pytest

from tests.kube.server import Handler, serving
from tests.kube.test_probe import stamp
from unstuck.collect.kube.nodes.leftover_probes import remove_left
from unstuck.collect.kube.nodes.probe_safety import find_suspicion
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.kubeconfig import Access
from unstuck.collect.objects.kinds import BUILTIN, Kind
from unstuck.collect.objects.segments import field_requirement, leads_elsewhere

POD = next(k for k in BUILTIN if k.name == "Pod")
# Impossible names of objects, in every spelling that a server or a proxy may read as another path.
LEADING = (
    ".",
    "..",
    "../../../nodes",
    "a/b",
    "/",
    "a%2fb",
    "%2e%2e",
    "%252e%252e",
    "..%2f..%2fsecrets",
    "x%",
)
# Names of RBAC objects, accepted by the server.
ODD = ("--all", "x?dryRun=All", "x#y", "a b", "x;id", "$(id)", "é", "a:b", "a\\b", "...", "x&y=z")


def said(path: str) -> list[str]:
    return [unquote(part) for part in path.partition("?")[0].split("/")]


@pytest.mark.parametrize("name", LEADING)
def test_a_name_that_leads_elsewhere_is_never_sent(name: str) -> None:
    with serving(lambda h: h.say(200, {})) as server:
        client = Client(Access("test", server.url, "shop"), 5, env={})
        for path in (
            POD.path("shop", name),
            POD.path(name, "web-0"),
            POD.path(name),
            f"{POD.path('shop', name)}/log",
        ):
            for reply in (
                client.get(path),
                client.write("DELETE", path, {}),
                client.write("PATCH", path, [], {"dryRun": "All"}),
            ):
                assert not reply.ok and reply.why == "not-offered"
        assert find_suspicion(client, name) is not None
        assert [s.path for s in server.seen if not s.path.startswith("/api/v1/pods?")] == []


@pytest.mark.parametrize("name", ODD)
def test_a_name_is_one_segment(name: str) -> None:
    with serving(lambda h: h.say(200, {})) as server:
        client = Client(Access("test", server.url, "shop"), 5, env={})
        assert (
            client.get(POD.path("shop", name)).ok
            and client.write("PATCH", POD.path(name, "web-0"), [], {"dryRun": "All"}).ok
        )
        got, patched = server.seen
        assert said(got.path) == ["", "api", "v1", "namespaces", "shop", "pods", name] and "?" not in got.path
        assert said(patched.path) == [
            "",
            "api",
            "v1",
            "namespaces",
            name,
            "pods",
            "web-0",
        ] and patched.path.endswith("?dryRun=All")


def test_a_type_that_a_server_tells_of_turns_no_trial_into_a_change() -> None:
    """Discovery passes on what an aggregated API server calls its resources."""
    kind = Kind("Widget", "evil.example", "v1", "widgets/x?dryRun=&")
    with serving(lambda h: h.say(200, {})) as server:
        client = Client(Access("test", server.url, "shop"), 5, env={})
        assert not client.write("PATCH", kind.path("shop", "a"), [], {"dryRun": "All"}).ok
        kind = Kind("Widget", "evil.example", "v1", "widgets?dryRun=&")
        assert client.write("PATCH", kind.path("shop", "a"), [], {"dryRun": "All"}).ok
        (seen,) = server.seen
        assert seen.path.partition("?")[2] == "dryRun=All"


def test_only_the_pod_that_was_found_is_deleted() -> None:
    """Its name comes from the server's list."""
    name = "unstuck-look-1/../../../../nodes/n-1?x="
    pod = {
        "metadata": {"name": name, "uid": "u", "creationTimestamp": stamp(3600)},
        "spec": {"activeDeadlineSeconds": 1, "containers": [{"name": "look"}]},
    }

    def answer(h: Handler) -> None:
        h.say(200, {"items": [pod]} if h.command == "GET" else {})

    with serving(answer) as server:
        (left,) = remove_left(
            Client(Access("test", server.url, "shop"), 5, env={}), "tools", datetime.now(UTC)
        )
        assert left.why and [s.path.partition("?")[0] for s in server.seen] == [
            "/api/v1/namespaces/tools/pods"
        ]


def test_a_value_in_a_selector_is_one_value() -> None:
    """As pkg/fields reads it: a comma or a sign of equality would begin another requirement."""
    assert field_requirement("spec.nodeName", "n-1") == "spec.nodeName=n-1"
    assert field_requirement("involvedObject.name", "a,b=c\\d") == "involvedObject.name=a\\,b\\=c\\\\d"


def test_paths_of_our_own_lead_nowhere_else() -> None:
    assert not any(
        leads_elsewhere(p)
        for p in ("/api/v1", "/apis/apps/v1/namespaces/a/deployments/x:y", "/openapi/v3", "/readyz")
    )
