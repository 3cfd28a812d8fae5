"""Subjects by kind and name: finding them, and the report on missing ones. Over real HTTP, with recorded
documents.
"""

from __future__ import annotations

import pytest

from tests.kube.cluster import (
    CLUSTER,
    DISCOVERY,
    SHOP,
    answer_missing,
    ask,
    cluster,
    find_object,
    load_recorded,
    make_list,
    make_object,
    pick,
)
from unstuck.errors import AccessError, NotFound
from unstuck.facts.aspects.cluster import NodeNames
from unstuck.facts.aspects.objects import Conditions, Events, Names
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Refused, Want


def test_a_pod_costs_two_requests_and_no_discovery():
    pages = {f"{SHOP}/pods/rich": find_object("Pod", "rich"), f"{SHOP}/events": make_list()}
    with cluster(pages) as c:
        ref, facts = c.collector.start(Ref("po", "k-try", "rich"))
        assert (ref.kind, ref.name, bool(ref.uid)) == ("Pod", "rich", True)
        assert pick(facts, Events)[0].whole
        assert sorted(c.asked()) == [f"{SHOP}/events", f"{SHOP}/pods/rich"]


def test_who_may_only_get_pods_still_gets_the_pods_facts_and_what_was_denied():
    with cluster({f"{SHOP}/pods/rich": find_object("Pod", "rich")}) as c:
        _, facts = c.collector.start(Ref("pod", "k-try", "rich"))
        assert pick(facts, Placement)
        (no,) = pick(facts, Refused)
        assert (no.want, no.why, no.detail) == ("Events", "denied", f"forbidden: {SHOP}/events")
        denied = ask(
            c,
            Want(NodeNames, CLUSTER),
            Want(Names, Ref("ConfigMapList", "k-try")),
            Want(Conditions, Ref("Node", None, "lab-1")),
        )
        assert {(f.want, f.why) for f in denied} == {
            ("NodeNames", "denied"),
            ("Names", "denied"),
            ("Conditions", "denied"),
        }


def test_an_unknown_name_is_told_with_the_nearest_one():
    pages = {
        "/api/v1/namespaces/shop/pods/wbe": answer_missing("pods", "wbe"),
        "/api/v1/namespaces/shop": make_object("shop"),
        "/api/v1/namespaces/shop/pods": make_list(make_object("web"), make_object("db")),
    }
    with cluster(pages) as c, pytest.raises(NotFound, match="no Pod 'wbe' in Namespace 'shop'; nearest: web"):
        c.collector.start(Ref("Pod", None, "wbe"))


def test_an_unknown_namespace_is_told_instead_of_the_pod():
    pages = {
        "/api/v1/namespaces/shp/pods/web": answer_missing("pods", "web"),
        "/api/v1/namespaces/shp": answer_missing("namespaces", "shp"),
        "/api/v1/namespaces": make_list(make_object("shop")),
    }
    with cluster(pages) as c, pytest.raises(NotFound, match="no Namespace 'shp'; nearest: shop"):
        c.collector.start(Ref("Pod", "shp", "web"))


def test_who_may_not_list_gets_no_hint_and_no_error():
    with (
        cluster({"/api/v1/namespaces/shop/pods/x": answer_missing("pods", "x")}) as c,
        pytest.raises(NotFound) as e,
    ):
        c.collector.start(Ref("Pod", None, "x"))
    assert str(e.value) == "no Pod 'x' in Namespace 'shop'"


def test_a_subject_that_may_not_be_read_is_one_line():
    with cluster({}) as c, pytest.raises(AccessError, match="not allowed to read Pod shop/x: forbidden"):
        c.collector.start(Ref("Pod", None, "x"))


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("po", "Pod"),
        ("deploy", "Deployment"),
        ("deployments.apps", "Deployment"),
        ("Deployment", "Deployment"),
        ("NS", "Namespace"),
        ("sts", "StatefulSet"),
        ("pvc", "PersistentVolumeClaim"),
        ("crd", "CustomResourceDefinition"),
        ("cj", "CronJob"),
        ("no", "Node"),
    ],
)
def test_words_for_built_in_kinds_need_no_server(word, kind):
    with cluster({}) as c:
        assert c.collector.resolve(word).name == kind
        assert c.asked() == []


GROUPS = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/api/v1": {"resources": [{"name": "pods", "kind": "Pod", "namespaced": True, "verbs": ["list"]}]},
    "/apis": load_recorded("groups.json"),
    "/apis/k-try.example/v1": {
        "resources": [
            {
                "name": "widgets",
                "singularName": "widget",
                "shortNames": ["wd"],
                "kind": "Widget",
                "namespaced": True,
                "verbs": ["list"],
            },
            {"name": "widgets/status", "kind": "Widget", "namespaced": True, "verbs": ["get"]},
        ]
    },
    "/apis/metrics.k-try.io/v1beta1": (503, b"service unavailable"),
}


@pytest.mark.parametrize("pages", [DISCOVERY, GROUPS], ids=["aggregated", "group by group"])
@pytest.mark.parametrize(
    "word", ["widgets", "wd", "widget", "Widget", "widgets.k-try.example", "Widget.k-try.example"]
)
def test_custom_kinds_are_found_however_discovery_is_told(pages, word):
    with cluster(pages) as c:
        kind = c.collector.resolve(word)
        assert (kind.ref_kind, kind.path("a", "b")) == (
            "Widget.k-try.example",
            "/apis/k-try.example/v1/namespaces/a/widgets/b",
        )


def test_an_unknown_kind_is_told_with_the_nearest_and_with_what_could_not_be_read():
    with cluster(DISCOVERY) as c, pytest.raises(NotFound) as e:
        c.collector.resolve("widgest")
    assert "no resource type 'widgest'; nearest: widget, widgets" in str(e.value)
    assert "metrics.k-try.io/v1beta1" in str(e.value)
