"""The users of a claim, and the objects in a policy's binding, from the server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kube.cluster import cluster, make_list, make_object
from unstuck.facts.aspects.admission import AdmissionPolicies, PolicyParam
from unstuck.facts.aspects.protection import Users
from unstuck.facts.aspects.references import References
from unstuck.facts.aspects.storage import ClaimOffers
from unstuck.facts.core import Fact, Ref, Refused, Want

CLAIM = Ref("PersistentVolumeClaim", "shop", "data")
ADMISSION = "/apis/admissionregistration.k8s.io/v1"


def using(name: str, node: str, claim: str = "data") -> dict[str, Any]:
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}]
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        **make_object(name, "shop"),
        "spec": {"nodeName": node, "containers": [], "volumes": volumes},
    }


def test_pods_that_have_no_node_yet_are_told_apart_from_users() -> None:
    pods = make_list(using("old", "n-1"), using("new", ""), using("other", "n-1", "cache"))
    with cluster({"/api/v1/namespaces/shop/pods": pods}) as c:
        found = [f for f in c.collector.collect([Want(Users, CLAIM)]) if isinstance(f, Users)]
    assert [r.name for f in found for r in f.refs] == ["old"] and [
        r.name for f in found for r in f.waiting
    ] == ["new"]


def test_pods_that_name_a_claim_for_devices_or_were_given_one() -> None:
    def pod(name: str, node: str = "", status: object = None, **claim: str) -> dict[str, Any]:
        spec = {"nodeName": node, "containers": [], "resourceClaims": [{"name": "g", **claim}]}
        made = {"resourceClaimStatuses": status} if status else {}
        return {"kind": "Pod", "apiVersion": "v1", **make_object(name, "shop"), "spec": spec, "status": made}

    pods = make_list(
        pod("names-it", resourceClaimName="gpu"),
        pod(
            "was-given-it", "n-1", [{"name": "g", "resourceClaimName": "gpu"}], resourceClaimTemplateName="t"
        ),
        pod("has-another", "n-1", resourceClaimName="other"),
    )
    about = Ref("ResourceClaim", "shop", "gpu")
    with cluster({"/api/v1/namespaces/shop/pods": pods}) as c:
        (found,) = [f for f in c.collector.collect([Want(Users, about)]) if isinstance(f, Users)]
    assert (
        [r.name for r in found.refs] == ["was-given-it"]
        and [r.name for r in found.waiting] == ["names-it"]
        and found.whole
    )


def test_addresses_of_a_range_are_its_own_where_no_other_range_has_them() -> None:
    group = "/apis/networking.k8s.io/v1"

    def one(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
        return {"kind": kind, "apiVersion": "networking.k8s.io/v1", **make_object(name, None), "spec": spec}

    def held(name: str, service: str) -> dict[str, Any]:
        return one(
            "IPAddress",
            name,
            {"parentRef": {"group": "", "resource": "services", "namespace": "shop", "name": service}},
        )

    ranges = make_list(
        one("ServiceCIDR", "tenants", {"cidrs": ["10.180.0.0/24", "fd00:1::/112"]}),
        one("ServiceCIDR", "half", {"cidrs": ["10.180.0.128/25"]}),
    )
    addresses = make_list(
        held("10.180.0.10", "ldap"),
        held("10.180.0.200", "web"),
        held("10.96.0.1", "api"),
        held("fd00:1::7", "six"),
    )
    types = [
        {
            "resource": plural,
            "scope": "Cluster",
            "responseKind": {"kind": kind},
            "singularResource": kind.lower(),
            "verbs": ["get", "list"],
        }
        for plural, kind in (("servicecidrs", "ServiceCIDR"), ("ipaddresses", "IPAddress"))
    ]
    versions = [{"version": "v1", "resources": types}]
    found_types = {
        "kind": "APIGroupDiscoveryList",
        "items": [{"metadata": {"name": "networking.k8s.io"}, "versions": versions}],
    }
    core = {"kind": "APIGroupDiscoveryList", "items": []}
    pages = {
        "/api": core,
        "/apis": found_types,
        f"{group}/servicecidrs": ranges,
        f"{group}/ipaddresses": addresses,
    }
    about = Ref("ServiceCIDR", None, "tenants")
    with cluster(pages) as c:
        facts = c.collector.collect([Want(Users, about)])
    (found,) = [f for f in facts if isinstance(f, Users)]
    assert [r.name for r in found.refs] == ["10.180.0.10", "fd00:1::7"] and found.whole
    told = {f.about.name: f.items[0].to for f in facts if isinstance(f, References)}
    assert told["10.180.0.10"] == Ref("Service", "shop", "ldap") and told["fd00:1::7"].name == "six"


def test_a_binding_names_its_parameters_in_the_kind_of_its_policy() -> None:
    policy = {
        **make_object("allow", None),
        "spec": {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}, "matchConstraints": {}},
    }
    ref = {"name": "registries", "namespace": "policies", "parameterNotFoundAction": "Deny"}
    binding = {
        **make_object("allow-shop", None),
        "spec": {"policyName": "allow", "validationActions": ["Deny"], "paramRef": ref},
    }
    pages = {
        f"{ADMISSION}/validatingadmissionpolicies": make_list(policy),
        f"{ADMISSION}/validatingadmissionpolicybindings": make_list(binding),
    }
    with cluster(pages) as c:
        (found,) = c.collector.collect([Want(AdmissionPolicies, Ref("Cluster"))])
    assert isinstance(found, AdmissionPolicies)
    assert found.items[0].params == (PolicyParam("allow-shop", Ref("ConfigMap", "policies", "registries")),)


@pytest.mark.parametrize(
    ("refused", "answer"),
    [("", ClaimOffers), ("persistentvolumes", Refused), ("persistentvolumeclaims", Refused)],
)
def test_a_claim_is_told_with_every_volume_there_is(refused: str, answer: type[Fact]) -> None:
    selector = {"matchLabels": {"tier": "gold"}}
    claim = {
        **make_object("data", "shop"),
        "spec": {"storageClassName": "", "accessModes": ["ReadWriteOnce"], "selector": selector},
    }
    volume = {
        **make_object("silver", None, labels={"tier": "silver"}),
        "spec": {"capacity": {"storage": "10Gi"}},
        "status": {"phase": "Available"},
    }
    pages = {
        "/api/v1/namespaces/shop/persistentvolumeclaims/data": claim,
        "/api/v1/persistentvolumes": make_list(volume),
    }
    with cluster(
        {path: page for path, page in pages.items() if not refused or refused not in path.split("/")}
    ) as c:
        (found,) = c.collector.collect([Want(ClaimOffers, CLAIM)])
    assert type(found) is answer
    if isinstance(found, ClaimOffers):
        assert (
            found.whole
            and [v.name for v in found.volumes] == ["silver"]
            and found.volumes[0].capacity == 10 << 30
        )
        assert found.claim.selector and [r.key for r in found.claim.selector.requirements] == ["tier"]
