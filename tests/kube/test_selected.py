"""The matches of a selector of an object without a status, and similar labels if there are none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kube.cluster import cluster, make_list, make_object
from unstuck.facts.aspects.references import Selects
from unstuck.facts.core import Ref, Refused, Want

SPACE, APPS = "/api/v1/namespaces/shop", "/apis/apps/v1/namespaces/shop"
POLICIES = "/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies"
POLICY = Ref("NetworkPolicy", "shop", "p")
LABEL = "topology.kubernetes.io/zone"


def labelled(name: str, labels: dict[str, str], **template: Any) -> dict[str, Any]:
    return {**make_object(name, "shop", labels=labels), **template}


def deployment(labels: dict[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        **make_object("web", "shop"),
        "spec": {"template": {"metadata": {"labels": labels}}},
    }


def of_policy(selector: dict[str, Any], *pods: dict[str, Any], makers: tuple[Any, ...] = ()) -> Selects:
    pages = {
        f"{POLICIES}/p": {**make_object("p", "shop"), "spec": {"podSelector": selector}},
        f"{SPACE}/pods": make_list(*pods),
        f"{APPS}/deployments": make_list(*makers),
        **{f"{APPS}/{plural}": make_list() for plural in ("statefulsets", "daemonsets")},
    }
    with cluster(pages) as c:
        (found,) = c.collector.collect([Want(Selects, POLICY)])
    assert isinstance(found, Selects) and found.whole and found.of == "Pod"
    return found


WEB, API = labelled("web-1", {"app": "web"}), labelled("api-1", {"app": "api", "tier": "back"})


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ({}, ("web-1", "api-1")),
        ({"matchLabels": {"app": "web"}}, ("web-1",)),
        ({"matchExpressions": [{"key": "tier", "operator": "Exists"}]}, ("api-1",)),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, ("api-1",)),
        ({"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "Exists"}]}, ()),
    ],
)
def test_labels_and_expressions_must_all_hold(selector: dict[str, Any], names: tuple[str, ...]) -> None:
    found = of_policy(selector, WEB, API)
    assert (found.names, found.count) == (names, len(names))


def test_where_nothing_matches_the_others_and_the_makers_are_told() -> None:
    found = of_policy({"matchLabels": {"app": "wbe"}}, WEB, API, makers=(deployment({"app": "wbe"}),))
    assert (
        found.others == ("app=web", "app=api")
        and [r.name for r in found.templates] == ["web"]
        and found.selector == "app=wbe"
    )
    assert not of_policy({"matchLabels": {"app": "wbe"}}, WEB, makers=(deployment({"app": "web"}),)).templates


@pytest.mark.parametrize(
    ("ref", "path", "part"),
    [
        (
            Ref("PersistentVolume", None, "x"),
            "/api/v1/persistentvolumes/x",
            {
                "spec": {
                    "nodeAffinity": {
                        "required": {
                            "nodeSelectorTerms": [
                                {"matchExpressions": [{"key": LABEL, "operator": "In", "values": ["b"]}]},
                                {"matchExpressions": [{"key": LABEL, "operator": "In", "values": ["c"]}]},
                            ]
                        }
                    }
                }
            },
        ),
        (
            Ref("RuntimeClass", None, "x"),
            "/apis/node.k8s.io/v1/runtimeclasses/x",
            {"scheduling": {"nodeSelector": {LABEL: "c"}}},
        ),
        (
            Ref("StorageClass", None, "x"),
            "/apis/storage.k8s.io/v1/storageclasses/x",
            {"allowedTopologies": [{"matchLabelExpressions": [{"key": LABEL, "values": ["b", "c"]}]}]},
        ),
    ],
)
@pytest.mark.parametrize(("zone", "count"), [("a", 0), ("c", 1)])
def test_nodes_are_selected_by_volumes_and_classes(
    ref: Ref, path: str, part: dict[str, Any], zone: str, count: int
) -> None:
    pages = {
        path: {**make_object("x"), **part},
        "/api/v1/nodes": make_list(make_object("n-1", labels={LABEL: zone})),
    }
    with cluster(pages) as c:
        (found,) = c.collector.collect([Want(Selects, ref)])
    assert (
        isinstance(found, Selects) and (found.of, found.count) == ("Node", count) and LABEL in found.selector
    )


def test_a_list_that_is_refused_leaves_it_open() -> None:
    with cluster({f"{POLICIES}/p": {**make_object("p", "shop"), "spec": {"podSelector": {}}}}) as c:
        (found,) = c.collector.collect([Want(Selects, POLICY)])
    assert isinstance(found, Refused) and found.why == "denied"
