"""Who uses a claim, and what a policy's binding names, as the server tells it."""

from __future__ import annotations

from typing import Any

from tests.kube.cluster import cluster, listed, named
from unstuck.facts.aspects.admission import AdmissionPolicies, PolicyParam
from unstuck.facts.aspects.protection import Users
from unstuck.facts.core import Ref, Want

CLAIM = Ref("PersistentVolumeClaim", "shop", "data")
ADMISSION = "/apis/admissionregistration.k8s.io/v1"


def using(name: str, node: str, claim: str = "data") -> dict[str, Any]:
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}]
    return {"kind": "Pod", "apiVersion": "v1", **named(name, "shop"), "spec": {"nodeName": node, "containers": [], "volumes": volumes}}


def test_pods_that_have_no_node_yet_are_told_apart_from_users() -> None:
    pods = listed(using("old", "n-1"), using("new", ""), using("other", "n-1", "cache"))
    with cluster({"/api/v1/namespaces/shop/pods": pods}) as c:
        found = [f for f in c.collector.collect([Want(Users, CLAIM)]) if isinstance(f, Users)]
    assert [r.name for f in found for r in f.refs] == ["old"] and [r.name for f in found for r in f.waiting] == ["new"]


def test_a_binding_names_its_parameters_in_the_kind_of_its_policy() -> None:
    policy = {**named("allow", None), "spec": {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}, "matchConstraints": {}}}
    ref = {"name": "registries", "namespace": "policies", "parameterNotFoundAction": "Deny"}
    binding = {**named("allow-shop", None), "spec": {"policyName": "allow", "validationActions": ["Deny"], "paramRef": ref}}
    pages = {f"{ADMISSION}/validatingadmissionpolicies": listed(policy), f"{ADMISSION}/validatingadmissionpolicybindings": listed(binding)}
    with cluster(pages) as c:
        (found,) = c.collector.collect([Want(AdmissionPolicies, Ref("Cluster"))])
    assert isinstance(found, AdmissionPolicies)
    assert found.items[0].params == (PolicyParam("allow-shop", Ref("ConfigMap", "policies", "registries")),)
