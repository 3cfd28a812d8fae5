"""Services compared with healthy Pods: Services obviously intended for them, and Services with a missing
port.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.kube.cluster import Cluster, cluster, make_list, make_object
from unstuck.collect.objects.services import is_slip
from unstuck.facts.aspects.services import ServicePods, ServicesAt, ServicesBeside, ServiceSpec, Unserving
from unstuck.facts.core import Fact, Ref, Refused, Want

SPACE = "/api/v1/namespaces/shop"
POD, DEPLOYMENT, LIST = (
    Ref("Pod", "shop", "web-7c9d-x"),
    Ref("Deployment", "shop", "web"),
    Ref("ServiceList", "shop"),
)
LABELS = {"app": "web", "tier": "front"}


def pod(
    name: str = "web-7c9d-x", ready: bool = True, labels: dict[str, str] = LABELS, ports: tuple[Any, ...] = ()
) -> dict[str, Any]:
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": "web-7c9d",
        "uid": "u",
        "controller": True,
    }
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        **make_object(name, "shop", labels=labels, ownerReferences=[owner]),
        "spec": {"nodeName": "n-1", "containers": [{"name": "c", "ports": [*ports]}]},
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
        },
    }


def service(
    name: str, selector: dict[str, str] | None, target: str | int = 80, **spec: Any
) -> dict[str, Any]:
    return {
        **make_object(name, "shop"),
        "spec": {"selector": selector or {}, "ports": [{"port": 80, "targetPort": target}], **spec},
    }


def beside(
    *services: dict[str, Any], of: dict[str, Any] | None = None
) -> list[tuple[str | None, tuple[Any, ...], tuple[str, ...]]]:
    pages = {f"{SPACE}/services": make_list(*services), f"{SPACE}/pods/web-7c9d-x": of or pod()}
    with cluster(pages) as c:
        (found,) = c.collector.collect([Want(ServicesBeside, POD)])
    assert isinstance(found, ServicesBeside) and found.whole
    return [(b.service.name, b.differs, tuple(p.target for p in b.lost)) for b in found.items]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("web", "wbe"),
        ("frontend", "fronted"),
        ("frontend", "frontends"),
        ("frontend", "front-end"),
        ("Web", "web"),
        ("payment-api", "payments-api"),
        ("mango", "mongo"),
    ],
)
def test_a_slip_of_the_pen(a: str, b: str) -> None:
    assert is_slip(a, b) and is_slip(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("web", "web"),
        ("v1", "v2"),
        ("redis-6", "redis-7"),
        ("web1", "web"),
        ("1.10", "11.0"),
        ("shard-a", "shard-b"),
        ("us-east", "us-west"),
        ("blue", "green"),
        ("dev", "dex"),
        ("stable", "canary"),
        ("web", "web-admin"),
        ("", "web"),
        ("text", "test"),
    ],
)
def test_another_word(a: str, b: str) -> None:
    assert not is_slip(a, b) and not is_slip(b, a)


def test_a_selector_that_is_off_by_a_letter_is_named_with_what_the_pod_has() -> None:
    assert beside(service("front", {"app": "wbe"})) == [("front", (("app", "web"),), ())]


def test_so_is_one_that_bears_the_workloads_name_whatever_it_selects() -> None:
    assert beside(service("web", {"app": "nginx"})) == [("web", (("app", "web"),), ())]
    assert beside(service("web", {"app": "web", "release": "two"})) == [("web", (("release", ""),), ())]


@pytest.mark.parametrize(
    "other",
    [
        service("db", {"app": "db"}),
        service("web-canary", {"app": "web", "tier": "canary"}),
        # Its name equals its selector's value.
        service("wbe", {"app": "wbe"}),
        service("web", None),
        service("web", {"app": "wbe"}, type="ExternalName", externalName="example.com"),
        service("front", {"app": "wbe", "zone": "a"}),
        service("web", {"component": "queue"}),
    ],
)
def test_a_service_for_others_is_not(other: dict[str, Any]) -> None:
    assert beside(other) == []


def test_a_port_that_the_pod_does_not_declare() -> None:
    declares = pod(ports=({"name": "http", "containerPort": 8080},))
    assert beside(service("web", LABELS, "htttp"), of=declares) == [("web", (), ("htttp",))]
    assert beside(service("web", LABELS, 80), of=declares) == [("web", (), ("80",))]
    assert beside(service("web", LABELS, "http"), service("web-2", LABELS, 8080), of=declares) == []
    # A Pod without declared ports may listen on any number, but on no named port.
    assert beside(service("web", LABELS, 80)) == []
    assert beside(service("web", LABELS, "http")) == [("web", (), ("http",))]


def test_a_workload_is_held_against_by_its_template() -> None:
    deployment = {
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        **make_object("web", "shop", labels={"app": "else"}),
        "spec": {"template": {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "c"}]}}},
    }
    pages = {
        f"{SPACE}/services": make_list(service("front", {"app": "wbe"})),
        "/apis/apps/v1/namespaces/shop/deployments/web": deployment,
    }
    with cluster(pages) as c:
        (found,) = c.collector.collect([Want(ServicesBeside, DEPLOYMENT)])
    assert isinstance(found, ServicesBeside) and [b.service.name for b in found.items] == ["front"]
    assert found.src.quote == "front selects app=wbe"


def test_who_may_not_list_them_is_told_so() -> None:
    with cluster({f"{SPACE}/pods/web-7c9d-x": pod()}) as c:
        (found,) = c.collector.collect([Want(ServicesBeside, POD)])
    assert isinstance(found, Refused) and (found.want, found.why) == ("ServicesBeside", "denied")


# --- a Namespace --------------------------------------------------------------------------------------------


def unserving(
    *services: dict[str, Any], pods: tuple[dict[str, Any], ...]
) -> tuple[list[str | None], list[Fact], Cluster]:
    with cluster({f"{SPACE}/services": make_list(*services), f"{SPACE}/pods": make_list(*pods)}) as c:
        facts = list(c.collector.collect([Want(Unserving, LIST)]))
    (found,) = [f for f in facts if isinstance(f, Unserving)]
    return [s.name for s in found.services], facts, c


def test_the_services_of_a_namespace_that_were_meant_for_pods_that_are_ready() -> None:
    names, facts, c = unserving(service("front", {"app": "wbe"}), service("db", {"app": "db"}), pods=(pod(),))
    assert names == ["front"] and len(c.asked()) == 2
    (held,) = [f for f in facts if isinstance(f, ServicePods)]
    assert held.matched == () and held.nearly[0].differs == (("app", "web"),)
    assert [f.about.name for f in facts if isinstance(f, ServiceSpec)] == ["front"]


def test_where_the_pods_are_not_ready_that_is_what_is_wrong() -> None:
    assert unserving(service("front", {"app": "wbe"}), pods=(pod(ready=False),))[0] == []


def test_without_a_service_that_selects_no_pod_is_read() -> None:
    names, _, c = unserving(service("web", None), pods=(pod(),))
    assert names == [] and c.asked() == [f"{SPACE}/services"]


# --- an address ---------------------------------------------------------------------------------------------


def at(address: str, *services: dict[str, Any]) -> list[Fact]:
    def page(query: dict[str, str]) -> dict[str, Any]:
        asked = query.get("fieldSelector", "").removeprefix("spec.clusterIP=")
        return make_list(*(s for s in services if asked in ("", s["spec"].get("clusterIP"))))

    with cluster({"/api/v1/services": page}) as c:
        return list(c.collector.collect([Want(ServicesAt, Ref("Address", None, address))]))


def test_the_service_that_has_an_address_is_found_in_one_request_with_what_it_selects() -> None:
    facts = at(
        "10.96.12.7",
        service("db", {"app": "db"}, clusterIP="10.96.12.7"),
        service("web", {"app": "web"}, clusterIP="10.96.12.8"),
    )
    (found,) = [f for f in facts if isinstance(f, ServicesAt)]
    assert found.whole and [(s.within, s.name) for s in found.services] == [("shop", "db")]
    (spec,) = [f for f in facts if isinstance(f, ServiceSpec)]
    assert spec.selector == (("app", "db"),) and spec.addresses == ("10.96.12.7",)


def test_that_no_service_has_an_address_is_known() -> None:
    (found,) = at("10.244.1.9", service("db", {"app": "db"}, clusterIP="10.96.12.7"))
    assert isinstance(found, ServicesAt) and found.whole and found.services == ()


def test_an_address_outside_of_the_cluster_ips_is_a_load_balancers() -> None:
    outer = {
        **make_object("shop", "front"),
        "spec": {
            "ports": [{"port": 443}],
            "selector": {"a": "b"},
            "loadBalancerSourceRanges": ["203.0.113.0/24"],
        },
        "status": {"loadBalancer": {"ingress": [{"ip": "198.51.100.7"}]}},
    }
    with cluster({"/api/v1/services": make_list(outer)}) as c:
        found = [*c.collector.collect([Want(ServicesAt, Ref("Address", None, "198.51.100.7"))])]
    (balanced,) = [f for f in found if isinstance(f, ServicesAt)]
    (spec,) = [f for f in found if isinstance(f, ServiceSpec)]
    assert [(r.within, r.name) for r in balanced.services] == [("front", "shop")]
    assert (spec.outer, spec.ranges) == (("198.51.100.7",), ("203.0.113.0/24",))


def test_who_has_a_port_of_the_nodes() -> None:
    taken = {
        **make_object("signs", "lobby"),
        "spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30880}]},
    }
    plain = {**make_object("web", "shop"), "spec": {"ports": [{"port": 30880}]}}
    with cluster({"/api/v1/services": make_list(taken, plain)}) as c:
        told = c.collector.collect([Want(ServicesAt, Ref("NodePort", None, "30880"))])
        (found,) = [f for f in told if isinstance(f, ServicesAt)]
    assert isinstance(found, ServicesAt) and found.whole
    assert [(r.within, r.name) for r in found.services] == [("lobby", "signs")]


def test_which_namespaces_have_a_service_of_a_name() -> None:
    page = make_list(
        *(
            {**make_object(name, space), "spec": {"ports": [{"port": 80}]}}
            for name, space in (("db", "data"), ("db", "shop"), ("web", "shop"))
        )
    )
    with cluster({"/api/v1/services": page}) as c:
        told = list(c.collector.collect([Want(ServicesAt, Ref("ServiceName", None, "db"))]))
    (found,) = [f for f in told if isinstance(f, ServicesAt)]
    assert found.whole and [(r.within, r.name) for r in found.services] == [("data", "db"), ("shop", "db")]
    assert {f.about.name for f in told if isinstance(f, ServiceSpec)} == {"db"}
