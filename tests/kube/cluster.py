"""A server that answers API paths with a test's documents; all other paths are forbidden, as for a user with
few rights.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.kube.server import Handler, Server, serving
from unstuck.collect.kube.collector import KubeCollector
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.kubeconfig import Access
from unstuck.facts.core import Fact, Ref, Want

RECORDED = Path(__file__).parent / "recorded"
Page = Callable[[dict[str, str]], tuple[int, Any]]


def load_recorded(name: str) -> Any:
    return json.loads((RECORDED / name).read_text())


OBJECTS = load_recorded("objects.json")
# The recorded cluster's discovery: in one document, with one silent API.
DISCOVERY = {
    "/api": load_recorded("api.json"),
    "/apis": load_recorded("apis.json"),
    "/apis/metrics.k-try.io/v1beta1": (503, b"service unavailable"),
}
SHOP = "/api/v1/namespaces/k-try"
CLUSTER = Ref("Cluster")


def find_object(kind: str, name: str) -> dict[str, Any]:
    """Return one of the recorded objects."""
    found: dict[str, Any] = next(o for o in OBJECTS if o["kind"] == kind and o["metadata"]["name"] == name)
    return found


def answer_missing(kind: str, name: str) -> tuple[int, Any]:
    return 404, {
        "kind": "Status",
        "message": f'{kind} "{name}" not found',
        "details": {"name": name, "kind": kind},
    }


def make_list(*items: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {"kind": "List", "metadata": metadata, "items": list(items)}


def make_object(name: str, namespace: str | None = None, **metadata: Any) -> dict[str, Any]:
    return {
        "metadata": {
            "name": name,
            "uid": f"uid-{name}",
            **({"namespace": namespace} if namespace else {}),
            **metadata,
        }
    }


class Cluster:
    """pages: path → a document, a (status, document), or a function of the query."""

    def __init__(self, server: Server, pages: dict[str, Any]) -> None:
        self.server, self.pages = server, pages
        self.client = Client(Access("test", server.url, "shop"), 5, env={})
        self.collector = KubeCollector(self.client)

    def asked(self) -> list[str]:
        return [urlsplit(r.path).path for r in self.server.seen]


@contextmanager
def cluster(pages: dict[str, Any]) -> Iterator[Cluster]:
    def script(h: Handler) -> None:
        url = urlsplit(h.path)
        page = pages.get(url.path, (403, {"kind": "Status", "message": f"forbidden: {url.path}"}))
        if callable(page):
            page = page({k: v[0] for k, v in parse_qs(url.query).items()})
        status, body = page if isinstance(page, tuple) else (200, page)
        h.say(status, body)

    with serving(script) as server:
        yield Cluster(server, pages)


def pick(facts: list[Fact], kind: type) -> list[Any]:
    return [f for f in facts if isinstance(f, kind)]


def ask(c: Cluster, *wants: Want) -> list[Fact]:
    return list(c.collector.collect(wants))
