"""The questions to a cluster, the result of a refusal, and the economy of requests: over real HTTP, with
recorded documents.
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
    make_list,
    make_object,
    pick,
)
from unstuck.errors import AccessError
from unstuck.facts.aspects.cluster import (
    ApiServices,
    Backends,
    Contents,
    Discovery,
    Lease,
    NodeNames,
    NodeShape,
    Terminating,
)
from unstuck.facts.aspects.disruption import Evictions
from unstuck.facts.aspects.host import FlaggedFiles
from unstuck.facts.aspects.objects import (
    Below,
    Conditions,
    Deletion,
    Events,
    Finalizers,
    Keys,
    Names,
    Phase,
    Presence,
    Server,
)
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Refused, Want


@pytest.mark.parametrize("word", ["pod", "widget"])
@pytest.mark.parametrize(
    ("status", "message", "said"),
    [
        (401, "Unauthorized", "refused the credentials"),
        (403, 'forbidden: User "system:anonymous" cannot get path "/api"', "did not take the credentials"),
    ],
)
def test_credentials_that_are_not_taken_are_told_whatever_was_asked(word, status, message, said):
    no = (status, {"kind": "Status", "message": message})
    paths = ("/api", "/apis", "/api/v1/namespaces/shop/pods/x", "/api/v1/namespaces/shop/events")
    with cluster(dict.fromkeys(paths, no)) as c, pytest.raises(AccessError, match=said) as e:
        c.collector.start(Ref(word, "shop", "x"))
    assert "--context" in str(e.value)


def test_a_server_that_wants_tls_is_told_whatever_was_asked():
    no = (400, "Client sent an HTTP request to an HTTPS server.\n")
    with (
        cluster(dict.fromkeys(("/api", "/apis", "/api/v1/namespaces/shop/pods/x"), no)) as c,
        pytest.raises(AccessError, match="write https://"),
    ):
        c.collector.start(Ref("Pod", "shop", "x"))


def test_questions_about_one_object_share_one_request():
    with cluster({f"{SHOP}/pods/rich": find_object("Pod", "rich")}) as c:
        ref = Ref("Pod", "k-try", "rich")
        facts = ask(c, Want(Placement, ref), Want(Phase, ref), Want(Conditions, ref), Want(Deletion, ref))
        assert c.asked() == [f"{SHOP}/pods/rich"]
        assert not pick(facts, Refused)


def test_what_is_not_there_is_absent_and_its_aspects_stay_open():
    with cluster({f"{SHOP}/configmaps/app": answer_missing("configmaps", "app")}) as c:
        ref = Ref("ConfigMap", "k-try", "app")
        facts = ask(c, Want(Presence, ref), Want(Keys, ref))
        assert [(f.exists, f.whole) for f in pick(facts, Presence)] == [(False, True)]
        assert [(f.want, f.why) for f in pick(facts, Refused)] == [("Keys", "not-offered")]


def test_a_name_given_to_a_new_object_does_not_stand_for_the_old_one():
    with cluster({f"{SHOP}/pods/rich": find_object("Pod", "rich")}) as c:
        old = Ref("Pod", "k-try", "rich", "00000000-dead")
        facts = ask(c, Want(Presence, old))
        assert {(f.about.uid == old.uid, f.exists) for f in pick(facts, Presence)} == {
            (True, False),
            (False, True),
        }


def test_events_of_an_earlier_object_of_the_name_are_left_out():
    def event(uid: str):
        return {
            "involvedObject": {"kind": "Pod", "namespace": "k-try", "name": "rich", "uid": uid},
            "reason": uid,
            "type": "Normal",
        }

    with cluster({f"{SHOP}/events": make_list(event("new"), event("old"))}) as c:
        (events,) = pick(ask(c, Want(Events, Ref("Pod", "k-try", "rich", "new"))), Events)
        assert [e.reason for e in events.items] == ["new"]


def test_the_events_of_many_objects_are_one_list():
    with cluster({f"{SHOP}/events": make_list()}) as c:
        facts = ask(c, *(Want(Events, Ref("Pod", "k-try", f"p{i}")) for i in range(20)))
        assert c.asked() == [f"{SHOP}/events"]
        assert len(pick(facts, Events)) == 20


def test_whether_several_objects_are_there_is_one_list_where_it_may_be_read():
    wants = [Want(Presence, Ref("ConfigMap", "k-try", n)) for n in ("a", "b", "c")] + [
        Want(Presence, Ref("Secret", "k-try", n)) for n in "de"
    ]
    pages = {
        f"{SHOP}/configmaps": make_list(make_object("b")),
        f"{SHOP}/secrets/d": answer_missing("secrets", "d"),
        f"{SHOP}/secrets/e": make_object("e"),
    }
    with cluster(pages) as c:
        told = {f.about.name: f.exists for f in pick(ask(c, *wants), Presence)}
        assert told == {"a": False, "b": True, "c": False, "d": False}
        assert sorted(c.asked()) == [f"{SHOP}/configmaps", f"{SHOP}/secrets/d", f"{SHOP}/secrets/e"]
    with cluster({f"{SHOP}/configmaps/{n}": answer_missing("configmaps", n) for n in "abc"}) as c:
        assert [f.exists for f in pick(ask(c, *wants[:3]), Presence)] == [False] * 3


def test_what_the_api_does_not_tell_is_not_asked():
    with cluster({}) as c:
        facts = ask(
            c,
            Want(FlaggedFiles, Ref("Pod", "a", "b", "u")),
            Want(Presence, Ref("Pod", None, "x")),
            Want(Presence, Ref("Pod", "a", None, "u")),
        )
        assert [f.why for f in pick(facts, Refused)] == ["not-asked"] * 3
        assert c.asked() == []


def test_a_server_that_is_gone_is_a_refusal_for_each_question():
    with cluster({}) as c:
        pass
    facts = ask(c, Want(Server, CLUSTER), Want(Phase, Ref("Pod", "a", "b")))
    assert {(f.want, f.why) for f in pick(facts, Refused)} == {
        ("Server", "unreachable"),
        ("Phase", "unreachable"),
    }


def test_a_list_is_read_page_by_page_and_is_whole_only_to_the_end():
    def pages(query):
        following = {"": ("a", "1"), "1": ("b", "2"), "2": ("c", "")}
        name, token = following[query.get("continue", "")]
        return 200, make_list(make_object(name), **{"continue": token})

    def expired(query):
        return (
            (410, {"message": "expired"})
            if "continue" in query
            else (200, make_list(make_object("a"), **{"continue": "1"}))
        )

    with cluster({f"{SHOP}/configmaps": pages, "/api/v1/namespaces/other/configmaps": expired}) as c:
        (names,) = pick(ask(c, Want(Names, Ref("ConfigMapList", "k-try"))), Names)
        assert (names.names, names.whole) == (("a", "b", "c"), True)
        told = ask(c, Want(Names, Ref("ConfigMapList", "other")))
        assert not any(f.whole for f in pick(told, Names))


def test_a_node_is_its_shape_and_its_lease():
    lease = find_object("Lease", "lab-1")
    pages = {
        "/api/v1/nodes/lab-1": find_object("Node", "lab-1"),
        "/api/v1/nodes": make_list(find_object("Node", "lab-1")),
        "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/lab-1": lease,
    }
    with cluster(pages) as c:
        ref, facts = c.collector.start(Ref("no", None, "lab-1"))
        assert pick(facts, Lease)[0].about == Ref("Node", None, "lab-1")
        more = ask(c, Want(NodeNames, CLUSTER))
        assert pick(more, NodeNames)[0].refs == (ref,)
        assert pick(more, NodeShape)[0].about == ref


def test_what_a_drain_has_to_evict_is_told_with_its_budget_and_since_when_that_allows_none():
    def web(name: str, ready: str, **metadata) -> dict:
        labels = {"labels": {"app": "web"}, **metadata}
        return {
            **make_object(name, "shop", **labels),
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]},
        }

    since = {"type": "DisruptionAllowed", "status": "False", "lastTransitionTime": "2026-11-21T00:00:00Z"}
    budget = {
        **make_object("web", "shop"),
        "spec": {"selector": {"matchLabels": {"app": "web"}}},
        "status": {
            "disruptionsAllowed": 0,
            "currentHealthy": 1,
            "desiredHealthy": 1,
            "expectedPods": 2,
            "conditions": [since],
        },
    }
    mirror = web("static", "True", annotations={"kubernetes.io/config.mirror": "0"})
    pages = {
        "/apis/policy/v1/poddisruptionbudgets": make_list(budget),
        "/api/v1/pods": make_list(web("a", "True"), mirror),
        "/api/v1/namespaces/shop/pods": make_list(web("a", "True"), web("b", "False")),
    }
    with cluster(pages) as c:
        (told,) = pick(ask(c, Want(Evictions, Ref("Node", None, "lab-1"))), Evictions)
    (held,) = told.items
    assert (held.pod.name, held.budget.name, [r.name for r in held.unready], held.every) == (
        "a",
        "web",
        ["b"],
        False,
    )
    assert held.since
    assert held.since.isoformat() == "2026-11-21T00:00:00+00:00"


def test_broken_discovery_is_told_with_the_servers_words_and_what_stands_behind():
    down = {
        "metadata": {"name": "v1beta1.metrics.k-try.io", "uid": "u"},
        "spec": {"service": {"namespace": "k-try", "name": "gone"}},
        "status": {
            "conditions": [
                {"type": "Available", "status": "False", "reason": "ServiceNotFound", "message": "m"}
            ]
        },
    }
    pages = {
        **DISCOVERY,
        "/apis/apiregistration.k8s.io/v1/apiservices": make_list(down, find_object("APIService", "v1.apps")),
        f"{SHOP}/services/gone": answer_missing("services", "gone"),
        "/apis/discovery.k8s.io/v1/namespaces/k-try/endpointslices": make_list(
            {
                **make_object("s", "k-try"),
                "endpoints": [{"addresses": ["1"], "conditions": {"ready": False}}, {"addresses": ["2"]}],
            }
        ),
    }
    with cluster(pages) as c:
        facts = ask(c, Want(Discovery, CLUSTER), Want(ApiServices, CLUSTER))
        (discovery,) = pick(facts, Discovery)
        assert [(f.group_version, f.message) for f in discovery.failed] == [
            ("metrics.k-try.io/v1beta1", "service unavailable")
        ]
        assert discovery.whole and discovery.stale == ("metrics.k-try.io/v1beta1",)
        assert len(pick(facts, ApiServices)[0].refs) == 2
        assert [(f.about.name, f.exists) for f in pick(facts, Presence)] == [("gone", False)]
        assert [(f.ready, f.total) for f in pick(facts, Backends)] == [(1, 2)]


def test_a_group_whose_types_are_stale_is_told_even_where_it_answers():
    pages = {**DISCOVERY, "/apis/metrics.k-try.io/v1beta1": (200, b"it works"), f"{SHOP}/pods": make_list()}
    with cluster(pages) as c:
        facts = ask(c, Want(Discovery, CLUSTER), Want(Contents, Ref("Namespace", None, "k-try")))
        assert {(f.failed, f.stale) for f in pick(facts, Discovery)} == {((), ("metrics.k-try.io/v1beta1",))}
        (contents,) = pick(facts, Contents)
        assert dict(contents.unlisted)["metrics.k-try.io/v1beta1"].startswith("stale") and not contents.whole


def test_contents_name_what_is_left_what_holds_it_and_what_could_not_be_listed():
    held = make_object(
        "left", "k-try", finalizers=["k-try.example/hold"], deletionTimestamp="2026-11-21T00:00:00Z"
    )
    pages = {
        **DISCOVERY,
        "/apis/k-try.example/v1/namespaces/k-try/widgets": make_list(
            held, make_object("free", "k-try"), remainingItemCount=40
        ),
        f"{SHOP}/pods": make_list(),
    }
    with cluster(pages) as c:
        facts = ask(c, Want(Contents, Ref("Namespace", None, "k-try")))
        (contents,) = pick(facts, Contents)
        (widgets,) = contents.items
        assert (widgets.resource, widgets.kind, widgets.count) == (
            "widgets.k-try.example",
            "Widget.k-try.example",
            42,
        )
        assert [(r.name, f) for r, f in widgets.held] == [("left", ("k-try.example/hold",))]
        unlisted = dict(contents.unlisted)
        assert unlisted["metrics.k-try.io/v1beta1"] == "service unavailable"
        assert unlisted["configmaps"] == f"forbidden: {SHOP}/configmaps"
        assert not contents.whole
        assert [f.names for f in pick(facts, Finalizers)] == [("k-try.example/hold",)]
        assert "events" not in unlisted


def test_namespaces_being_deleted_are_asked_of_the_server():
    def page(query):
        assert query["fieldSelector"] == "status.phase=Terminating"
        return 200, make_list(make_object("old", deletionTimestamp="2026-11-21T00:00:00Z"))

    with cluster({"/api/v1/namespaces": page}) as c:
        assert [r.name for r in pick(ask(c, Want(Terminating, CLUSTER)), Terminating)[0].namespaces] == [
            "old"
        ]


def test_below_a_deployment_are_its_replica_sets_and_their_pods_only():
    def owned(name: str, by: str, **more):
        return {
            **make_object(
                name, "shop", ownerReferences=[{"kind": "x", "name": "x", "uid": by, "controller": True}]
            ),
            **more,
        }

    deploy = {
        **find_object("Deployment", "web"),
        "metadata": {"name": "web", "namespace": "shop", "uid": "d"},
    }
    ready = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    pages = {
        "/apis/apps/v1/namespaces/shop/deployments/web": deploy,
        "/apis/apps/v1/namespaces/shop/replicasets": make_list(
            owned("rs", "d", spec={"replicas": 0}), owned("foreign", "other")
        ),
        "/api/v1/namespaces/shop/pods": make_list(
            owned("good", "uid-rs", **ready), owned("bad", "uid-rs"), owned("foreign", "y")
        ),
        "/api/v1/namespaces/shop/events": make_list(),
    }
    with cluster(pages) as c:
        _, facts = c.collector.start(Ref("deploy", None, "web"))
        below = {f.kind: [r.name for r in f.refs] for f in pick(facts, Below)}
        assert below == {"ReplicaSet": ["rs"], "Pod": ["good", "bad"]}
        assert {f.about.name for f in pick(facts, Presence)} == {"web", "bad"}


def test_a_survey_keeps_what_is_not_plainly_healthy_and_says_what_it_could_not_list():
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    pages = {
        "/api/v1/namespaces/shop": make_object("shop"),
        "/api/v1/namespaces/shop/pods": make_list(
            {**make_object("ok", "shop"), "status": ready},
            {**make_object("bad", "shop"), "status": {"phase": "Pending"}},
        ),
    }
    with cluster(pages) as c:
        refs, facts = c.collector.list_unhealthy("shop")
        assert [r.name for r in refs] == ["bad"]
        assert {f.about.kind for f in pick(facts, Refused)} >= {"PersistentVolumeClaimList", "DeploymentList"}
    with cluster({}) as c, pytest.raises(AccessError, match="nothing may be listed"):
        c.collector.survey("shop")
