"""Alternatives to a field's requested object: versions of a kind, namesakes, and selectors for an object's
labels.
"""

from __future__ import annotations

from typing import Any

from tests.kube.cluster import cluster, make_list, make_object
from unstuck.facts.aspects.references import LabelSelector, Namesakes, Selectors, ServedVersions
from unstuck.facts.core import Fact, Ref, Refused, Want

AUTH, MONITORING = "keda.sh", "monitoring.coreos.com"
MISSING = Ref(f"TriggerAuthentication.{AUTH}", "ocr", "rabbit-auth")
MONITOR = Ref(f"ServiceMonitor.{MONITORING}", "booking", "api")


def discovered(group: str, version: str, *kinds: tuple[str, str, str]) -> dict[str, Any]:
    rows = [
        {"resource": plural, "responseKind": {"kind": kind}, "scope": scope, "verbs": ["get", "list"]}
        for kind, plural, scope in kinds
    ]
    return {"metadata": {"name": group}, "versions": [{"version": version, "resources": rows}]}


def groups(*items: dict[str, Any]) -> dict[str, Any]:
    return {
        "/api": {"kind": "APIGroupDiscoveryList", "items": []},
        "/apis": {"kind": "APIGroupDiscoveryList", "items": list(items)},
    }


def asked(pages: dict[str, Any], want: Want) -> Fact:
    with cluster(pages) as c:
        (found,) = c.collector.collect([want])
    return found


def test_versions_of_a_kind_are_those_of_every_group() -> None:
    pages = groups(
        discovered("apps", "v1", ("Deployment", "deployments", "Namespaced")),
        discovered(
            "shop.example.com",
            "v1beta1",
            ("Deployment", "deployments", "Namespaced"),
            ("Cart", "carts", "Namespaced"),
        ),
    )
    found = asked(pages, Want(ServedVersions, Ref("ServedKind", None, "Deployment")))
    assert (
        isinstance(found, ServedVersions)
        and found.whole
        and found.versions == ("apps/v1", "shop.example.com/v1beta1")
    )


KEDA = groups(
    discovered(
        AUTH,
        "v1alpha1",
        ("TriggerAuthentication", "triggerauthentications", "Namespaced"),
        ("ClusterTriggerAuthentication", "clustertriggerauthentications", "Cluster"),
    )
)


def namesakes(*there: dict[str, Any], twin: dict[str, Any] | None = None) -> Namesakes:
    pages = {**KEDA, f"/apis/{AUTH}/v1alpha1/triggerauthentications": make_list(*there)}
    if twin:
        pages[f"/apis/{AUTH}/v1alpha1/clustertriggerauthentications/rabbit-auth"] = twin
    found = asked(pages, Want(Namesakes, MISSING))
    assert isinstance(found, Namesakes)
    return found


def test_a_namesake_is_in_another_namespace_or_of_the_twin_kind() -> None:
    assert namesakes(make_object("rabbit-auth", "shared")).refs == (
        Ref(MISSING.kind, "shared", "rabbit-auth"),
    )
    assert namesakes(twin=make_object("rabbit-auth")).refs == (
        Ref(f"ClusterTriggerAuthentication.{AUTH}", None, "rabbit-auth"),
    )
    assert not namesakes(make_object("other", "shared")).refs


def test_names_like_its_own_are_those_of_its_own_namespace() -> None:
    assert namesakes(make_object("rabbit-oauth", "ocr"), make_object("rabbit-auht", "shared")).near == (
        "rabbit-oauth",
    )


PROMETHEUSES = groups(
    discovered(
        MONITORING,
        "v1",
        ("ServiceMonitor", "servicemonitors", "Namespaced"),
        ("Prometheus", "prometheuses", "Namespaced"),
    )
)


def selectors(
    spec: dict[str, Any], labels: dict[str, str], space: dict[str, str] | None = None
) -> tuple[LabelSelector, ...]:
    owner = {
        "apiVersion": f"{MONITORING}/v1",
        "kind": "Prometheus",
        **make_object("main", "metrics"),
        "spec": spec,
    }
    pages = {
        **PROMETHEUSES,
        f"/apis/{MONITORING}/v1/namespaces/booking/servicemonitors/api": {
            **make_object("api", "booking", labels=labels),
            "spec": {},
        },
        f"/apis/{MONITORING}/v1/prometheuses": make_list(owner),
        "/api/v1/namespaces/booking": make_object("booking", labels=space or {}),
    }
    found = asked(pages, Want(Selectors, MONITOR))
    assert isinstance(found, Selectors) and found.whole
    return found.items


ALL: dict[str, Any] = {"serviceMonitorNamespaceSelector": {}}
RELEASE = {"serviceMonitorSelector": {"matchLabels": {"release": "main"}}}


def test_a_selector_takes_by_labels() -> None:
    assert [s.takes for s in selectors({**RELEASE, **ALL}, {"release": "main"})] == [True]
    (lacking,) = selectors({**RELEASE, **ALL}, {"app": "api"})
    assert (lacking.takes, lacking.selector, lacking.field, lacking.spaces) == (
        False,
        "release=main",
        "spec.serviceMonitorSelector",
        "",
    )


def test_a_selector_takes_by_namespaces() -> None:
    assert [(s.takes, s.spaces) for s in selectors({"serviceMonitorSelector": {}}, {})] == [(False, "own")]
    by_label = {
        "serviceMonitorSelector": {},
        "serviceMonitorNamespaceSelector": {"matchLabels": {"watched": "yes"}},
    }
    assert [(s.takes, s.spaces) for s in selectors(by_label, {})] == [(False, "watched=yes")]
    assert [(s.takes, s.spaces) for s in selectors(by_label, {}, {"watched": "yes"})] == [(True, "")]


def test_fields_for_other_kinds_are_no_selectors_of_it() -> None:
    assert selectors({"ruleSelector": {}, "podMonitorSelector": {}, **ALL}, {}) == ()


def test_what_the_server_does_not_offer_stays_open() -> None:
    assert isinstance(asked(groups(), Want(Selectors, MONITOR)), Refused)
    assert isinstance(asked(groups(), Want(Namesakes, MISSING)), Refused)


def test_what_should_cause_a_secret_in_each_namespace_with_a_label() -> None:
    group = "external-secrets.io"
    kinds = discovered(group, "v1", ("ClusterExternalSecret", "clusterexternalsecrets", "Cluster"))
    missing = Ref("Secret", "chat", "smtp")
    chosen = {"matchLabels": {"mail": "on"}}
    rows = make_list(
        {**make_object("mail"), "spec": {"externalSecretName": "smtp", "namespaceSelector": chosen}},
        {**make_object("other"), "spec": {"externalSecretName": "pull", "namespaceSelector": chosen}},
    )
    rows["apiVersion"], rows["kind"] = f"{group}/v1", "ClusterExternalSecretList"
    pages = {
        **groups(kinds),
        f"/apis/{group}/v1/clusterexternalsecrets": rows,
        "/api/v1/namespaces/chat/secrets": make_list(),
        "/api/v1/secrets": make_list(),
    }
    found = asked(pages, Want(Namesakes, missing))
    assert isinstance(found, Namesakes)
    assert [(m.of.name, m.key, m.value) for m in found.marks] == [
        ("mail", f"{group}/namespaceSelector", "mail=on")
    ]
