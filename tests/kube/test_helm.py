"""Helm's records of its releases are read by their labels; their contents are never requested."""

from __future__ import annotations

from typing import Any

from tests.kube.cluster import DISCOVERY, ask, cluster, make_list, make_object, pick
from unstuck.facts.aspects.helm import HelmRevision, HelmRevisions
from unstuck.facts.core import Ref, Refused, Want

SECRETS = "/api/v1/namespaces/shop/secrets"


def record(release: str, version: str, status: str) -> dict[str, Any]:
    meta = make_object(f"sh.helm.release.v1.{release}.v{version}", "shop")
    meta["metadata"]["labels"] = {"owner": "helm", "name": release, "version": version, "status": status}
    return {"apiVersion": "v1", "kind": "Secret", **meta, "data": {"release": "c2VjcmV0"}}


def test_each_revision_is_told_with_its_status_and_nothing_of_what_it_holds() -> None:
    items = make_list(
        record("web", "6", "deployed"), record("web", "7", "pending-upgrade"), record("db", "x", "deployed")
    )
    with cluster({**DISCOVERY, SECRETS: items}) as c:
        told = ask(c, Want(HelmRevisions, Ref("Namespace", None, "shop")))
    [found] = pick(told, HelmRevisions)
    assert [
        (r.release, r.revision, r.status, r.secret) for r in found.items if isinstance(r, HelmRevision)
    ] == [
        ("web", 7, "pending-upgrade", "sh.helm.release.v1.web.v7"),
        ("web", 6, "deployed", "sh.helm.release.v1.web.v6"),
    ]
    assert "c2VjcmV0" not in repr(told)


def test_of_anything_but_a_namespace_it_is_a_refusal() -> None:
    with cluster(DISCOVERY) as c:
        told = ask(c, Want(HelmRevisions, Ref("Pod", "shop", "web-0")))
    assert [f.about.kind for f in told if isinstance(f, Refused)] == ["Pod"]
