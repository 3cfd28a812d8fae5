"""Topology spread and Pod affinity. `check` verifies the agreement with kube-scheduler on random cases."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scheduling.make import Obj, decide_on, list_reasons, make_node, make_pod
from tests.scheduling.volumes import HOST, ZONE
from unstuck.scheduling.decide import Decision

WEB: Obj = {"matchLabels": {"app": "web"}}
TOO_MANY = "node(s) didn't match pod topology spread constraints"
NO_LABEL = f"{TOO_MANY} (missing required label)"
NODES = (
    make_node("a", labels={ZONE: "z1"}),
    make_node("b", labels={ZONE: "z1"}),
    make_node("c", labels={ZONE: "z2"}),
    make_node("d"),
)


def web(name: str, on: str, /, *, gone: bool = False, namespace: str = "default", **spec: Any) -> Obj:
    made = make_pod(name, on=on, labels={"app": "web"}, **spec)
    made["metadata"]["namespace"] = namespace
    if gone:
        made["metadata"]["deletionTimestamp"] = "2026-11-21T00:00:00Z"
    return made


def spread(
    *others: Obj,
    nodes: tuple[Obj, ...] = NODES,
    labels: Obj | None = None,
    spec: Obj | None = None,
    **constraint: Any,
) -> Decision:
    """Return the decision about a Pod with one constraint on zones, beside these Pods."""
    made = {
        "topologyKey": ZONE,
        "maxSkew": 1,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": WEB,
        **constraint,
    }
    wanted = make_pod(
        labels={"app": "web"} if labels is None else labels, topologySpreadConstraints=[made], **(spec or {})
    )
    return decide_on(wanted, *nodes, pods=others)


def test_the_emptiest_domain_is_filled_first() -> None:
    found = spread(web("x", "a"), web("y", "b"))
    assert found.fits == ("c",)
    assert (list_reasons(found, "a"), list_reasons(found, "d")) == ([TOO_MANY], [NO_LABEL])
    assert [r.outcome for n in ("a", "d") for r in found.refused[n]] == ["unschedulable", "unresolvable"]


@pytest.mark.parametrize(
    ("others", "more", "fits"),
    [
        ([web("x", "a")], {"maxSkew": 2}, "abc"),
        ([web("x", "a")], {"whenUnsatisfiable": "ScheduleAnyway"}, "abcd"),
        ([web("x", "a", gone=True)], {}, "abc"),
        ([web("x", "a", namespace="other")], {}, "abc"),
        ([web("x", "a")], {"labels": {"app": "db"}}, "abc"),
        ([web("x", "a"), web("y", "b")], {"labels": {"app": "db"}}, "c"),
        ([web("x", "d")], {}, "abc"),
        ([web("x", "a")], {"labelSelector": {}}, "abc"),
        ([web("x", "a")], {"labelSelector": None}, "abc"),
        ([], {"minDomains": 3, "maxSkew": 1}, "abc"),
        ([web("x", "a"), web("y", "c")], {"minDomains": 3}, ""),
        ([web("x", "a"), web("y", "c")], {"minDomains": 2}, "abc"),
        ([web("x", "a")], {"matchLabelKeys": ["v"], "labels": {"app": "web", "v": "2"}}, "abc"),
        ([web("x", "a")], {"matchLabelKeys": ["w"], "labels": {"app": "web", "v": "2"}}, "c"),
        # Zone z2 is out of reach for the Pod, so it is no domain where the policy honours that.
        ([web("x", "a")], {"spec": {"nodeSelector": {ZONE: "z1"}}}, "ab"),
        ([web("x", "a")], {"spec": {"nodeSelector": {ZONE: "z1"}}, "nodeAffinityPolicy": "Ignore"}, ""),
    ],
)
def test_what_counts(others: list[Obj], more: dict[str, Any], fits: str) -> None:
    assert "".join(spread(*others, **more).fits) == fits


def test_tainted_nodes_are_domains_unless_the_policy_says_otherwise() -> None:
    nodes = (
        make_node("a", labels={ZONE: "z1"}),
        make_node("c", labels={ZONE: "z2"}, taints=("k=v:NoExecute",)),
    )
    assert spread(web("x", "a"), nodes=nodes).fits == ()
    assert spread(web("x", "a"), nodes=nodes, nodeTaintsPolicy="Honor").fits == ("a",)


def test_a_nominated_pod_counts_where_it_will_be() -> None:
    waiting = web("x", "", status={"nominatedNodeName": "a"})
    waiting["spec"].pop("nodeName", None)
    found = spread(waiting, spec={"priority": 0})
    # Without it all zones are equally empty; with it zone z1 has one Pod, so only node a is rejected: it is
    # not nominated for b.
    assert found.fits == ("b", "c") and list_reasons(found, "a") == [TOO_MANY]


def test_a_selector_that_cannot_be_compiled_stops_the_scheduler() -> None:
    found = spread(labelSelector={"matchExpressions": [{"key": "app", "operator": "Near"}]})
    assert found.stopped and found.stopped.message.endswith('"Near" is not a valid label selector operator')


# Pod affinity

BESIDE, AWAY, AVOIDED = (
    "node(s) didn't match pod affinity rules",
    "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
)


def term(selector: Obj | None = WEB, key: str = ZONE, **more: Any) -> Obj:
    return {"topologyKey": key, "labelSelector": selector, **more}


def required(kind: str, *terms: Obj) -> Obj:
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def beside(*terms: Obj) -> Obj:
    return required("podAffinity", *terms)


def away(*terms: Obj) -> Obj:
    return required("podAntiAffinity", *terms)


def wanting(affinity: Obj, *others: Obj, labels: Obj | None = None, **more: Any) -> Decision:
    return decide_on(make_pod(affinity=affinity, labels=labels or {}), *NODES, pods=others, **more)


def test_beside_a_pod() -> None:
    found = wanting(beside(term()), web("x", "a"))
    assert found.fits == ("a", "b") and list_reasons(found, "c") == list_reasons(found, "d") == [BESIDE]


def test_one_pod_must_meet_all_terms() -> None:
    both = beside(term(), term({"matchLabels": {"tier": "front"}}))
    front = make_pod("y", on="a", labels={"tier": "front"})
    assert wanting(both, web("x", "a"), front).fits == ()
    assert wanting(both, make_pod("z", on="a", labels={"app": "web", "tier": "front"})).fits == ("a", "b")


def test_the_first_of_a_group_goes_anywhere_that_has_the_label() -> None:
    assert wanting(beside(term()), labels={"app": "web"}).fits == ("a", "b", "c")
    assert wanting(beside(term()), labels={"app": "db"}).fits == ()
    assert wanting(beside(term()), web("x", "c"), labels={"app": "web"}).fits == ("c",)


def test_away_from_a_pod() -> None:
    found = wanting(away(term()), web("x", "a"))
    assert found.fits == ("c", "d") and list_reasons(found, "b") == [AWAY]
    assert {r.outcome for rs in found.refused.values() for r in rs} == {"unschedulable"}


def test_away_from_what_any_of_the_terms_matches() -> None:
    either = away(term(key=HOST), term({"matchLabels": {"app": "db"}}))
    assert wanting(either, web("x", "c")).fits == ("a", "b", "d")
    assert wanting(either, make_pod("y", on="a", labels={"app": "db"})).fits == ("c", "d")


def test_a_nominated_pod_keeps_others_away_where_it_will_be() -> None:
    waiting = make_pod("x", labels={"app": "web"}, status={"nominatedNodeName": "a"})
    other = make_pod("y", labels={"app": "db"}, status={"nominatedNodeName": "a"})
    assert wanting(away(term()), waiting, other).fits == ("b", "c", "d")


def test_a_pod_that_is_there_keeps_others_away() -> None:
    guard = make_pod("x", on="a", affinity=away(term({"matchLabels": {"app": "db"}}, HOST)))
    found = decide_on(make_pod(labels={"app": "db"}), *NODES, pods=(guard,))
    assert found.fits == ("b", "c", "d") and list_reasons(found, "a") == [AVOIDED]
    assert decide_on(make_pod(labels={"app": "web"}), *NODES, pods=(guard,)).fits == ("a", "b", "c", "d")


NAMESPACES = [{"metadata": {"name": "default"}}, {"metadata": {"name": "other", "labels": {"team": "r"}}}]
OTHERS = {"matchLabels": {"team": "r"}}
NO_TEAM = {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}


@pytest.mark.parametrize(
    ("named", "where", "met"),
    [
        ({}, "default", True),
        ({}, "other", False),
        ({"namespaces": ["other"]}, "other", True),
        ({"namespaces": ["other"]}, "default", False),
        ({"namespaceSelector": {}}, "other", True),
        ({"namespaceSelector": OTHERS}, "other", True),
        ({"namespaceSelector": OTHERS}, "default", False),
        ({"namespaces": ["default"], "namespaceSelector": OTHERS}, "default", True),
        # The scheduler compares a selector for absent labels without reading the Namespace: every one is
        # selected.
        ({"namespaceSelector": NO_TEAM}, "other", True),
    ],
)
def test_the_namespaces_of_a_term(named: Obj, where: str, met: bool) -> None:
    found = wanting(beside(term(**named)), web("x", "a", namespace=where), namespaces=NAMESPACES)
    assert found.fits == (("a", "b") if met else ())


def test_namespaces_of_the_terms_of_pods_that_are_there() -> None:
    guard = web("x", "a", namespace="other", affinity=away(term({}, namespaceSelector=NO_TEAM)))
    assert decide_on(make_pod(), *NODES, pods=(guard,), namespaces=NAMESPACES).fits == ("c", "d")
    within = web("x", "a", namespace="other", affinity=away(term({}, namespaceSelector=OTHERS)))
    assert decide_on(make_pod(), *NODES, pods=(within,), namespaces=NAMESPACES).fits == ("a", "b", "c", "d")


def test_a_term_that_cannot_be_compiled() -> None:
    odd = {"matchExpressions": [{"key": "app", "operator": "Near"}]}
    found = wanting(away(term(odd)))
    words = 'parsing pod: requiredAntiAffinityTerms: "Near" is not a valid label selector operator'
    assert found.message == f"0/4 nodes are available: {words}."
    guard = make_pod("x", on="a", affinity=away(term({}), term(odd)))
    assert decide_on(make_pod(), *NODES, pods=(guard,)).fits == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    "spec",
    [
        {
            "topologySpreadConstraints": [
                {"topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "maxSkew": "one"}
            ]
        },
        {"topologySpreadConstraints": "all"},
        {"affinity": beside(term({"matchLabels": "web"}))},
        {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}},
    ],
)
def test_what_does_not_read_is_named_and_is_no_fit(spec: Obj) -> None:
    found = decide_on(make_pod(**spec), *NODES)
    assert (
        not found.fits
        and found.rejected
        and found.rejected.outcome == "unknown"
        and " is " in found.rejected.message
    )


def test_a_neighbour_whose_labels_do_not_read_leaves_it_open() -> None:
    odd = make_pod("x", on="a", labels="web")
    found = spread(odd)
    assert not found.fits and found.undecided and "metadata.labels" in found.undecided["a"][0].message
    assert not wanting(away(term()), odd).fits
