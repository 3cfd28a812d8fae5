"""A scan reads objects from the server's cache, which may lag behind: missing objects are requested again."""

from __future__ import annotations

from tests.kube.server import Handler, serving
from tests.kube.test_client import client
from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session, make_page_params
from unstuck.facts.core import Ref

MISSING = {
    "kind": "Status",
    "status": "Failure",
    "reason": "NotFound",
    "details": {"name": "conf", "kind": "configmaps"},
}
CONFIG = Ref("ConfigMap", "shop", "conf")


def lagging(h: Handler) -> None:
    """Answer like a server with a cache that does not have the object yet."""
    if "resourceVersion=0" in h.path:
        h.say(404, MISSING)
    else:
        h.say(200, {"kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "shop"}})


def test_what_a_cache_does_not_have_is_asked_for_again() -> None:
    with serving(lagging) as s:
        session = Session(client(s.url), "shop", cached=True)
        assert session.object(kind_named("ConfigMap"), CONFIG).reply.ok
        assert session.client.requests == [
            "/api/v1/namespaces/shop/configmaps/conf?resourceVersion=0",
            "/api/v1/namespaces/shop/configmaps/conf",
        ]


def test_one_object_alone_is_not_asked_of_a_cache() -> None:
    with serving(lagging) as s:
        session = Session(client(s.url), "shop")
        assert session.object(kind_named("ConfigMap"), CONFIG).reply.ok
        assert session.client.requests == ["/api/v1/namespaces/shop/configmaps/conf"]


def test_a_page_that_continues_a_list_names_no_version() -> None:
    """The server refuses both together (400)."""
    asked = {"limit": 500, "resourceVersion": "0"}
    assert make_page_params(asked, "") == asked
    assert make_page_params(asked, "next") == {"limit": 500, "continue": "next"}
