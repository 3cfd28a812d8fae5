"""What is asked of a cluster, what comes of a refusal, and how little is asked: over real HTTP, with recorded documents."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.kube.cluster import cluster, listed, missing, named, recorded
from unstuck.collect.kube.ask_finalizers import group_in, manager_of, words
from unstuck.collect.masking import masked
from unstuck.errors import AccessError, NotFound, Unreachable
from unstuck.facts.aspects.cluster import (
    ApiServices,
    Backends,
    Contents,
    Discovery,
    FinalizerOwner,
    Lease,
    NodeNames,
    NodeShape,
    Terminating,
)
from unstuck.facts.aspects.disruption import Evictions
from unstuck.facts.aspects.host import FlaggedFiles
from unstuck.facts.aspects.objects import Below, Conditions, Deletion, Events, Finalizers, Keys, Names, Phase, Presence, Server
from unstuck.facts.aspects.pod import LastLines, Placement
from unstuck.facts.aspects.refusals import Refusals
from unstuck.facts.aspects.stored import LastWrite, Unreadable
from unstuck.facts.core import Fact, Ref, Refused, Want

OBJECTS = recorded("objects.json")
SHOP = "/api/v1/namespaces/k-try"
CLUSTER = Ref("Cluster")


def obj(kind: str, name: str):
    return next(o for o in OBJECTS if o["kind"] == kind and o["metadata"]["name"] == name)


def of(facts: list[Fact], kind: type):
    return [f for f in facts if isinstance(f, kind)]


def ask(c, *wants: Want) -> list[Fact]:
    return list(c.collector.collect(wants))


# --- the subject -----------------------------------------------------------------------------------------------------


def test_a_pod_costs_two_requests_and_no_discovery():
    pages = {f"{SHOP}/pods/rich": obj("Pod", "rich"), f"{SHOP}/events": listed()}
    with cluster(pages) as c:
        ref, facts = c.collector.start(Ref("po", "k-try", "rich"))
        assert (ref.kind, ref.name, bool(ref.uid)) == ("Pod", "rich", True)
        assert of(facts, Events)[0].whole
        assert sorted(c.asked()) == [f"{SHOP}/events", f"{SHOP}/pods/rich"]


def test_who_may_only_get_pods_still_gets_the_pods_facts_and_what_was_denied():
    with cluster({f"{SHOP}/pods/rich": obj("Pod", "rich")}) as c:
        _, facts = c.collector.start(Ref("pod", "k-try", "rich"))
        assert of(facts, Placement)
        (no,) = of(facts, Refused)
        assert (no.want, no.why, no.detail) == ("Events", "denied", f"forbidden: {SHOP}/events")
        denied = ask(c, Want(NodeNames, CLUSTER), Want(Names, Ref("ConfigMapList", "k-try")), Want(Conditions, Ref("Node", None, "lab-1")))
        assert {(f.want, f.why) for f in denied} == {("NodeNames", "denied"), ("Names", "denied"), ("Conditions", "denied")}


def test_an_unknown_name_is_told_with_the_nearest_one():
    pages = {
        "/api/v1/namespaces/shop/pods/wbe": missing("pods", "wbe"),
        "/api/v1/namespaces/shop": named("shop"),
        "/api/v1/namespaces/shop/pods": listed(named("web"), named("db")),
    }
    with cluster(pages) as c, pytest.raises(NotFound, match="no Pod 'wbe' in Namespace 'shop'; nearest: web"):
        c.collector.start(Ref("Pod", None, "wbe"))


def test_an_unknown_namespace_is_told_instead_of_the_pod():
    pages = {
        "/api/v1/namespaces/shp/pods/web": missing("pods", "web"),
        "/api/v1/namespaces/shp": missing("namespaces", "shp"),
        "/api/v1/namespaces": listed(named("shop")),
    }
    with cluster(pages) as c, pytest.raises(NotFound, match="no Namespace 'shp'; nearest: shop"):
        c.collector.start(Ref("Pod", "shp", "web"))


def test_who_may_not_list_gets_no_hint_and_no_error():
    with cluster({"/api/v1/namespaces/shop/pods/x": missing("pods", "x")}) as c, pytest.raises(NotFound) as e:
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


DISCOVERY = {"/api": recorded("api.json"), "/apis": recorded("apis.json"), "/apis/metrics.k-try.io/v1beta1": (503, b"service unavailable")}
GROUPS = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/api/v1": {"resources": [{"name": "pods", "kind": "Pod", "namespaced": True, "verbs": ["list"]}]},
    "/apis": recorded("groups.json"),
    "/apis/k-try.example/v1": {
        "resources": [
            {"name": "widgets", "singularName": "widget", "shortNames": ["wd"], "kind": "Widget", "namespaced": True, "verbs": ["list"]},
            {"name": "widgets/status", "kind": "Widget", "namespaced": True, "verbs": ["get"]},
        ]
    },
    "/apis/metrics.k-try.io/v1beta1": (503, b"service unavailable"),
}


@pytest.mark.parametrize("pages", [DISCOVERY, GROUPS], ids=["aggregated", "group by group"])
@pytest.mark.parametrize("word", ["widgets", "wd", "widget", "Widget", "widgets.k-try.example", "Widget.k-try.example"])
def test_custom_kinds_are_found_however_discovery_is_told(pages, word):
    with cluster(pages) as c:
        kind = c.collector.resolve(word)
        assert (kind.ref_kind, kind.path("a", "b")) == ("Widget.k-try.example", "/apis/k-try.example/v1/namespaces/a/widgets/b")


def test_an_unknown_kind_is_told_with_the_nearest_and_with_what_could_not_be_read():
    with cluster(DISCOVERY) as c, pytest.raises(NotFound) as e:
        c.collector.resolve("widgest")
    assert "no resource type 'widgest'; nearest: widget, widgets" in str(e.value)
    assert "metrics.k-try.io/v1beta1" in str(e.value)


# --- questions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["pod", "widget"])
@pytest.mark.parametrize(
    ("status", "message", "said"),
    [
        (401, "Unauthorized", "refused the credentials"),
        (403, 'forbidden: User "system:anonymous" cannot get path "/api"', "knows no such credentials"),
    ],
)
def test_credentials_that_are_not_taken_are_told_whatever_was_asked(word, status, message, said):
    no = (status, {"kind": "Status", "message": message})
    paths = ("/api", "/apis", "/api/v1/namespaces/shop/pods/x", "/api/v1/namespaces/shop/events")
    with cluster(dict.fromkeys(paths, no)) as c, pytest.raises(AccessError, match=said) as e:
        c.collector.start(Ref(word, "shop", "x"))
    assert "--context" in str(e.value)


def test_questions_about_one_object_share_one_request():
    with cluster({f"{SHOP}/pods/rich": obj("Pod", "rich")}) as c:
        ref = Ref("Pod", "k-try", "rich")
        facts = ask(c, Want(Placement, ref), Want(Phase, ref), Want(Conditions, ref), Want(Deletion, ref))
        assert c.asked() == [f"{SHOP}/pods/rich"]
        assert not of(facts, Refused)


def test_what_is_not_there_is_absent_and_its_aspects_stay_open():
    with cluster({f"{SHOP}/configmaps/app": missing("configmaps", "app")}) as c:
        ref = Ref("ConfigMap", "k-try", "app")
        facts = ask(c, Want(Presence, ref), Want(Keys, ref))
        assert [(f.exists, f.whole) for f in of(facts, Presence)] == [(False, True)]
        assert [(f.want, f.why) for f in of(facts, Refused)] == [("Keys", "not-offered")]


def test_a_name_given_to_a_new_object_does_not_stand_for_the_old_one():
    with cluster({f"{SHOP}/pods/rich": obj("Pod", "rich")}) as c:
        old = Ref("Pod", "k-try", "rich", "00000000-dead")
        facts = ask(c, Want(Presence, old))
        assert {(f.about.uid == old.uid, f.exists) for f in of(facts, Presence)} == {(True, False), (False, True)}


def test_events_of_an_earlier_object_of_the_name_are_left_out():
    def event(uid: str):
        return {"involvedObject": {"kind": "Pod", "namespace": "k-try", "name": "rich", "uid": uid}, "reason": uid, "type": "Normal"}

    with cluster({f"{SHOP}/events": listed(event("new"), event("old"))}) as c:
        (events,) = of(ask(c, Want(Events, Ref("Pod", "k-try", "rich", "new"))), Events)
        assert [e.reason for e in events.items] == ["new"]


def test_the_events_of_many_objects_are_one_list():
    with cluster({f"{SHOP}/events": listed()}) as c:
        facts = ask(c, *(Want(Events, Ref("Pod", "k-try", f"p{i}")) for i in range(20)))
        assert c.asked() == [f"{SHOP}/events"]
        assert len(of(facts, Events)) == 20


def test_whether_several_objects_are_there_is_one_list_where_it_may_be_read():
    wants = [Want(Presence, Ref("ConfigMap", "k-try", n)) for n in ("a", "b", "c")] + [
        Want(Presence, Ref("Secret", "k-try", n)) for n in "de"
    ]
    pages = {f"{SHOP}/configmaps": listed(named("b")), f"{SHOP}/secrets/d": missing("secrets", "d"), f"{SHOP}/secrets/e": named("e")}
    with cluster(pages) as c:
        told = {f.about.name: f.exists for f in of(ask(c, *wants), Presence)}
        assert told == {"a": False, "b": True, "c": False, "d": False}
        assert sorted(c.asked()) == [f"{SHOP}/configmaps", f"{SHOP}/secrets/d", f"{SHOP}/secrets/e"]
    with cluster({f"{SHOP}/configmaps/{n}": missing("configmaps", n) for n in "abc"}) as c:
        assert [f.exists for f in of(ask(c, *wants[:3]), Presence)] == [False] * 3


def test_what_the_api_does_not_tell_is_not_asked():
    with cluster({}) as c:
        facts = ask(
            c,
            Want(FlaggedFiles, Ref("Pod", "a", "b", "u")),
            Want(Presence, Ref("Pod", None, "x")),
            Want(Presence, Ref("Pod", "a", None, "u")),
        )
        assert [f.why for f in of(facts, Refused)] == ["not-asked"] * 3
        assert c.asked() == []


def test_a_server_that_is_gone_is_a_refusal_for_each_question():
    with cluster({}) as c:
        pass
    facts = ask(c, Want(Server, CLUSTER), Want(Phase, Ref("Pod", "a", "b")))
    assert {(f.want, f.why) for f in of(facts, Refused)} == {("Server", "unreachable"), ("Phase", "unreachable")}


def test_a_list_is_read_page_by_page_and_is_whole_only_to_the_end():
    def pages(query):
        following = {"": ("a", "1"), "1": ("b", "2"), "2": ("c", "")}
        name, token = following[query.get("continue", "")]
        return 200, listed(named(name), **{"continue": token})

    def expired(query):
        return (410, {"message": "expired"}) if "continue" in query else (200, listed(named("a"), **{"continue": "1"}))

    with cluster({f"{SHOP}/configmaps": pages, "/api/v1/namespaces/other/configmaps": expired}) as c:
        (names,) = of(ask(c, Want(Names, Ref("ConfigMapList", "k-try"))), Names)
        assert (names.names, names.whole) == (("a", "b", "c"), True)
        told = ask(c, Want(Names, Ref("ConfigMapList", "other")))
        assert not any(f.whole for f in of(told, Names))


def test_a_node_is_its_shape_and_its_lease():
    lease = obj("Lease", "lab-1")
    pages = {
        "/api/v1/nodes/lab-1": obj("Node", "lab-1"),
        "/api/v1/nodes": listed(obj("Node", "lab-1")),
        "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/lab-1": lease,
    }
    with cluster(pages) as c:
        ref, facts = c.collector.start(Ref("no", None, "lab-1"))
        assert of(facts, Lease)[0].about == Ref("Node", None, "lab-1")
        more = ask(c, Want(NodeNames, CLUSTER))
        assert of(more, NodeNames)[0].refs == (ref,)
        assert of(more, NodeShape)[0].about == ref


def test_what_a_drain_has_to_evict_is_told_with_its_budget_and_since_when_that_allows_none():
    def web(name: str, ready: str, **metadata) -> dict:
        labels = {"labels": {"app": "web"}, **metadata}
        return {**named(name, "shop", **labels), "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]}}

    since = {"type": "DisruptionAllowed", "status": "False", "lastTransitionTime": "2026-11-21T00:00:00Z"}
    budget = {
        **named("web", "shop"),
        "spec": {"selector": {"matchLabels": {"app": "web"}}},
        "status": {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 2, "conditions": [since]},
    }
    mirror = web("static", "True", annotations={"kubernetes.io/config.mirror": "0"})
    pages = {
        "/apis/policy/v1/poddisruptionbudgets": listed(budget),
        "/api/v1/pods": listed(web("a", "True"), mirror),
        "/api/v1/namespaces/shop/pods": listed(web("a", "True"), web("b", "False")),
    }
    with cluster(pages) as c:
        (told,) = of(ask(c, Want(Evictions, Ref("Node", None, "lab-1"))), Evictions)
    (held,) = told.items
    assert (held.pod.name, held.budget.name, [r.name for r in held.unready], held.every) == ("a", "web", ["b"], False)
    assert held.since
    assert held.since.isoformat() == "2026-11-21T00:00:00+00:00"


def test_broken_discovery_is_told_with_the_servers_words_and_what_stands_behind():
    down = {
        "metadata": {"name": "v1beta1.metrics.k-try.io", "uid": "u"},
        "spec": {"service": {"namespace": "k-try", "name": "gone"}},
        "status": {"conditions": [{"type": "Available", "status": "False", "reason": "ServiceNotFound", "message": "m"}]},
    }
    pages = {
        **DISCOVERY,
        "/apis/apiregistration.k8s.io/v1/apiservices": listed(down, obj("APIService", "v1.apps")),
        f"{SHOP}/services/gone": missing("services", "gone"),
        "/apis/discovery.k8s.io/v1/namespaces/k-try/endpointslices": listed(
            {**named("s", "k-try"), "endpoints": [{"addresses": ["1"], "conditions": {"ready": False}}, {"addresses": ["2"]}]}
        ),
    }
    with cluster(pages) as c:
        facts = ask(c, Want(Discovery, CLUSTER), Want(ApiServices, CLUSTER))
        (discovery,) = of(facts, Discovery)
        assert [(f.group_version, f.message) for f in discovery.failed] == [("metrics.k-try.io/v1beta1", "service unavailable")]
        assert discovery.whole and discovery.stale == ("metrics.k-try.io/v1beta1",)
        assert len(of(facts, ApiServices)[0].refs) == 2
        assert [(f.about.name, f.exists) for f in of(facts, Presence)] == [("gone", False)]
        assert [(f.ready, f.total) for f in of(facts, Backends)] == [(1, 2)]


def test_a_group_whose_types_are_stale_is_told_even_where_it_answers():
    pages = {**DISCOVERY, "/apis/metrics.k-try.io/v1beta1": (200, b"it works"), f"{SHOP}/pods": listed()}
    with cluster(pages) as c:
        facts = ask(c, Want(Discovery, CLUSTER), Want(Contents, Ref("Namespace", None, "k-try")))
        assert {(f.failed, f.stale) for f in of(facts, Discovery)} == {((), ("metrics.k-try.io/v1beta1",))}
        (contents,) = of(facts, Contents)
        assert dict(contents.unlisted)["metrics.k-try.io/v1beta1"].startswith("stale") and not contents.whole


def test_contents_name_what_is_left_what_holds_it_and_what_could_not_be_listed():
    held = named("left", "k-try", finalizers=["k-try.example/hold"], deletionTimestamp="2026-11-21T00:00:00Z")
    pages = {
        **DISCOVERY,
        "/apis/k-try.example/v1/namespaces/k-try/widgets": listed(held, named("free", "k-try"), remainingItemCount=40),
        f"{SHOP}/pods": listed(),
    }
    with cluster(pages) as c:
        facts = ask(c, Want(Contents, Ref("Namespace", None, "k-try")))
        (contents,) = of(facts, Contents)
        (widgets,) = contents.items
        assert (widgets.resource, widgets.kind, widgets.count) == ("widgets.k-try.example", "Widget.k-try.example", 42)
        assert [(r.name, f) for r, f in widgets.held] == [("left", ("k-try.example/hold",))]
        unlisted = dict(contents.unlisted)
        assert unlisted["metrics.k-try.io/v1beta1"] == "service unavailable"
        assert unlisted["configmaps"] == f"forbidden: {SHOP}/configmaps"
        assert not contents.whole
        assert [f.names for f in of(facts, Finalizers)] == [("k-try.example/hold",)]
        assert "events" not in unlisted


def test_namespaces_being_deleted_are_asked_of_the_server():
    def page(query):
        assert query["fieldSelector"] == "status.phase=Terminating"
        return 200, listed(named("old", deletionTimestamp="2026-11-21T00:00:00Z"))

    with cluster({"/api/v1/namespaces": page}) as c:
        assert [r.name for r in of(ask(c, Want(Terminating, CLUSTER)), Terminating)[0].namespaces] == ["old"]


def test_below_a_deployment_are_its_replica_sets_and_their_pods_only():
    def owned(name: str, by: str, **more):
        return {**named(name, "shop", ownerReferences=[{"kind": "x", "name": "x", "uid": by, "controller": True}]), **more}

    deploy = {**obj("Deployment", "web"), "metadata": {"name": "web", "namespace": "shop", "uid": "d"}}
    ready = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    pages = {
        "/apis/apps/v1/namespaces/shop/deployments/web": deploy,
        "/apis/apps/v1/namespaces/shop/replicasets": listed(owned("rs", "d", spec={"replicas": 0}), owned("foreign", "other")),
        "/api/v1/namespaces/shop/pods": listed(owned("good", "uid-rs", **ready), owned("bad", "uid-rs"), owned("foreign", "y")),
        "/api/v1/namespaces/shop/events": listed(),
    }
    with cluster(pages) as c:
        _, facts = c.collector.start(Ref("deploy", None, "web"))
        below = {f.kind: [r.name for r in f.refs] for f in of(facts, Below)}
        assert below == {"ReplicaSet": ["rs"], "Pod": ["good", "bad"]}
        assert {f.about.name for f in of(facts, Presence)} == {"web", "bad"}


def test_a_survey_keeps_what_is_not_plainly_healthy_and_says_what_it_could_not_list():
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    pages = {
        "/api/v1/namespaces/shop": named("shop"),
        "/api/v1/namespaces/shop/pods": listed(
            {**named("ok", "shop"), "status": ready}, {**named("bad", "shop"), "status": {"phase": "Pending"}}
        ),
    }
    with cluster(pages) as c:
        refs, facts = c.collector.list_unhealthy("shop")
        assert [r.name for r in refs] == ["bad"]
        assert {f.about.kind for f in of(facts, Refused)} >= {"PersistentVolumeClaimList", "DeploymentList"}
    with cluster({}) as c, pytest.raises(AccessError, match="nothing may be listed"):
        c.collector.survey("shop")


# --- owners of finalizers --------------------------------------------------------------------------------------------

LISTS = {
    "/apis/apps/v1/deployments": listed(named("acme-controller", "acme-system"), named("web", "shop")),
    "/apis/apps/v1/statefulsets": listed(),
    "/apis/apps/v1/daemonsets": listed(),
    "/apis/coordination.k8s.io/v1/leases": listed(
        {
            **named("leader", "acme-system"),
            "spec": {"holderIdentity": "acme-controller-7d-x_1", "renewTime": "2026-11-21T00:00:00.000000Z", "leaseDurationSeconds": 15},
        }
    ),
    "/apis/apps/v1/namespaces/acme-system/deployments/acme-controller": {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        **named("acme-controller", "acme-system"),
        "spec": {"replicas": 1},
        "status": {"readyReplicas": 1, "replicas": 1},
    },
    **DISCOVERY,
}
POD = {"apiVersion": "v1", "kind": "Pod", **named("p", "shop", finalizers=["acme.io/hold", "kubernetes.io/pvc-protection"])}


def owners(pages) -> dict[str, FinalizerOwner]:
    with cluster({"/api/v1/namespaces/shop/pods/p": POD, **pages}) as c:
        return {f.finalizer: f for f in of(ask(c, Want(FinalizerOwner, Ref("Pod", "shop", "p"))), FinalizerOwner)}


def test_an_owner_is_found_by_its_name_and_lives_by_its_lease():
    found = owners(LISTS)["acme.io/hold"]
    (candidate,) = found.candidates
    assert (candidate.ref.name, candidate.ready, candidate.wanted, candidate.lease_seconds) == ("acme-controller", 1, 1, 15)
    assert candidate.renewed is not None
    assert "'acme'" in candidate.why
    assert found.searched[:4] == ("deployments", "statefulsets", "daemonsets", "leases")


def test_looking_for_owners_is_counted_apart():
    with cluster({"/api/v1/namespaces/shop/pods/p": POD, **LISTS}) as c:
        ask(c, Want(FinalizerOwner, Ref("Pod", "shop", "p")), Want(Phase, Ref("Pod", "shop", "p")))
        assert len(c.client.requests) - len(c.collector.owner_lookups) == 2  # the Pod, and the group whose discovery is stale


def test_without_an_owner_it_is_told_where_was_looked():
    found = owners({**LISTS, "/apis/apps/v1/deployments": listed()})
    assert found["acme.io/hold"].candidates == ()
    assert found["acme.io/hold"].group == "acme.io"
    # One group could not be read, so nobody knows whether it is this one.
    assert found["acme.io/hold"].group_served is None
    assert found["kubernetes.io/pvc-protection"].searched == ()


def test_a_list_that_is_denied_is_not_among_those_looked_through():
    found = owners({k: v for k, v in LISTS.items() if "statefulsets" not in k})["acme.io/hold"]
    assert "statefulsets" not in found.searched
    assert not found.whole


def test_managed_fields_say_who_wrote_a_finalizer():
    fields = {"f:metadata": {"f:finalizers": {".": {}, 'v:"a/b"': {}}}}
    rows = [{"manager": "other", "fieldsV1": {}}, {"manager": "acme", "time": "2026-11-21T00:00:00Z", "fieldsV1": fields}]
    assert manager_of({"metadata": {"managedFields": rows}}, "a/b")[0] == "acme"
    assert manager_of({"metadata": {}}, "a/b") == ("", None)


@pytest.mark.parametrize(
    ("finalizer", "group", "told"),
    [
        ("example.com/hold", "example.com", {"example", "hold"}),
        ("resources-finalizer.argocd.argoproj.io", "argocd.argoproj.io", {"argocd", "argoproj"}),
        ("wrangler.cattle.io/node", "wrangler.cattle.io", {"wrangler", "cattle"}),
        ("plain", "", {"plain"}),
    ],
)
def test_a_finalizers_name_tells_a_group_and_words(finalizer, group, told):
    assert (group_in(finalizer), words(finalizer, "kubectl-edit")) == (group, told)


# --- logs ------------------------------------------------------------------------------------------------------------


def test_the_last_lines_are_of_the_run_before_or_else_of_this_one():
    def log(query):
        return (400, {"message": "previous terminated container not found"}) if "previous" in query else (200, b"one\n\ntwo \x1b[31mred\n")

    about = Ref("Container", "shop/p", "c")
    with cluster({"/api/v1/namespaces/shop/pods/p/log": log}) as c:
        (lines,) = of(ask(c, Want(LastLines, about)), LastLines)
        assert (lines.lines, lines.previous) == (("one", "two \x1b[31mred"), False)


def test_a_log_that_the_runtime_has_removed_is_no_log():
    lost = b"unable to retrieve container logs for containerd://292c9d7d"
    about = Ref("Container", "shop/p", "c")
    path = "/api/v1/namespaces/shop/pods/p/log"
    with cluster({path: lambda query: (200, lost if "previous" in query else b"of this run\n")}) as c:
        (lines,) = of(ask(c, Want(LastLines, about)), LastLines)
        assert (lines.lines, lines.previous) == (("of this run",), False)
    with cluster({path: (200, lost)}) as c:
        (no,) = ask(c, Want(LastLines, about))
        assert isinstance(no, Refused) and no.why == "not-offered" and "unable to retrieve" in no.detail


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("FATAL: DATABASE_URL not set", "FATAL: DATABASE_URL not set"),
        ("password=hunter22 x", "password=*** x"),
        ('{"apiKey": "abcdef", "a": 1}', '{"apiKey": "***", "a": 1}'),
        ("connect postgres://me:s3cret@db:5432/x", "connect postgres://me:***@db:5432/x"),
        ("Authorization: Bearer abcdefghijk", "Authorization: *** ***"),
        ("got eyJhbGciOiJI.eyJzdWIiOiIx.abc", "got ***"),
        ("AKIAABCDEFGHIJKLMNOP", "***"),
        ("AWS_SECRET_ACCESS_KEY=abc/def+ghi", "AWS_SECRET_ACCESS_KEY=***"),
    ],
)
def test_what_looks_like_a_secret_is_masked(line, shown):
    assert masked(line) == shown


# --- what is stored and cannot be read, and what can no longer be written -----------------------------------------------

NO_KEY = "identity transformer tried to read encrypted data"


def unread(words: str) -> tuple[int, object]:
    return 500, {"kind": "Status", "reason": "InternalError", "message": f"Internal error occurred: {words}"}


def test_an_object_that_the_server_cannot_read_is_an_answer_and_no_error():
    with cluster({f"{SHOP}/secrets/db": unread(NO_KEY)}) as c:
        ref, facts = c.collector.start(Ref("secret", "k-try", "db"))
        assert [(f.about, f.error, f.whole) for f in of(facts, Unreadable)] == [(ref, "untransformable", True)]
        assert of(ask(c, Want(Presence, ref)), Unreadable) == of(facts, Unreadable)
        assert [(f.about, f.exists) for f in of(facts, Presence)] == [(ref, True)]


def test_another_error_of_the_server_is_none_of_the_storage():
    with cluster({f"{SHOP}/secrets/db": unread("etcdserver: request timed out")}) as c, pytest.raises(Unreachable, match="timed out"):
        c.collector.start(Ref("secret", "k-try", "db"))


@pytest.mark.parametrize(
    ("reply", "about"),
    [
        (unread(f'unable to transform key "/registry/configmaps/k-try/settings": {NO_KEY}'), Ref("ConfigMap", "k-try", "settings")),
        (unread("couldn't get version/kind; json parse error: invalid character 'g'"), Ref("ConfigMapList", "k-try")),
        ((500, {"kind": "Status", "message": "illegal base64 data at input byte 4"}), Ref("ConfigMapList", "k-try")),
        (
            (
                500,
                {
                    "kind": "Status",
                    "reason": "StoreReadError",
                    "message": "failed to read one or more configmaps from the storage",
                    "details": {
                        "causes": [
                            {
                                "message": "StorageError: corrupt object, Code: 6, Key: /registry/configmaps/k-try/settings, "
                                f"ResourceVersion: 0, AdditionalErrorMsg: data from the storage is not transformable revision=0: {NO_KEY}"
                            }
                        ]
                    },
                },
            ),
            Ref("ConfigMap", "k-try", "settings"),
        ),
    ],
    ids=["key named", "no key named", "no reason named", "from 1.32 on"],
)
def test_a_list_that_cannot_be_read_names_what_it_can(reply, about):
    with cluster({**DISCOVERY, f"{SHOP}/pods": listed(), f"{SHOP}/configmaps": reply}) as c:
        facts = ask(c, Want(Contents, Ref("Namespace", None, "k-try")))
        assert [f.about for f in of(facts, Unreadable)] == [about]
        assert "configmaps" in dict(of(facts, Contents)[0].unlisted)


LEASES = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"


def lease(name: str, space: str, renewed: str) -> dict[str, object]:
    return {**named(name, space), "spec": {"renewTime": renewed}}


def test_the_youngest_lease_tells_when_anything_was_written_last():
    pages = {
        LEASES.format("kube-system"): listed(lease("old", "kube-system", "2026-11-20T00:00:00.123456Z")),
        LEASES.format("kube-node-lease"): listed(lease("n-1", "kube-node-lease", "2026-11-20T00:01:00.5Z")),
    }
    with cluster(pages) as c:
        (fact,) = of(ask(c, Want(LastWrite, CLUSTER)), LastWrite)
        assert (str(fact.renewed), fact.lease and fact.lease.name) == ("2026-11-20 00:01:00+00:00", "n-1")


def test_nothing_more_is_asked_where_a_lease_is_young():
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    with cluster({LEASES.format("kube-system"): listed(lease("a", "kube-system", now))}) as c:
        ask(c, Want(LastWrite, CLUSTER))
        assert c.asked() == [LEASES.format("kube-system")]


def test_what_etcd_refuses_is_read_from_the_control_planes_logs():
    system = "/api/v1/namespaces/kube-system/pods"
    log = (
        '2026-11-21T00:00:01.5Z {"level":"warn","msg":"alarm raised","alarm":"NOSPACE"}\n'
        '2026-11-21T00:00:09.5Z {"msg":"failed to apply request","error":"etcdserver: no space"}\n'
        '2026-11-21T00:00:10.5Z {"msg":"took too long"}\n'
    )
    with cluster({system: listed(named("etcd-cp-1", "kube-system")), f"{system}/etcd-cp-1/log": (200, log.encode())}) as c:
        (fact,) = of(ask(c, Want(Refusals, CLUSTER)), Refusals)
        assert [(r.error, str(r.at), r.to and r.to.name) for r in fact.items] == [
            ("storage-full", "2026-11-21 00:00:09+00:00", "etcd-cp-1")
        ]
