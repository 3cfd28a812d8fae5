"""The writers of the status of a type's objects, and a Node's kubelet's certificate requests."""

from __future__ import annotations

from tests.kube.cluster import DISCOVERY, ask, cluster, make_list, make_object, pick
from unstuck.facts.aspects.reported import TypeStatus
from unstuck.facts.aspects.signing import NodeRequests, SigningRequest
from unstuck.facts.core import Ref, Want

_CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
_GROUP = {
    "/apis": {
        "kind": "APIGroupDiscoveryList",
        "items": [
            {
                "metadata": {"name": "platform.example.com"},
                "versions": [
                    {
                        "version": "v1",
                        "resources": [
                            {
                                "resource": "tenants",
                                "responseKind": {"kind": "Tenant"},
                                "scope": "Cluster",
                                "verbs": ["get", "list"],
                                "subresources": [{"subresource": "status"}],
                            }
                        ],
                    }
                ],
            }
        ],
    }
}


def tenant(name: str, **more: object) -> dict[str, object]:
    return {
        "apiVersion": "platform.example.com/v1",
        "kind": "Tenant",
        **make_object(name),
        "spec": {"size": 1},
        **more,
    }


def test_the_workload_that_is_named_like_the_type_may_be_its_controller() -> None:
    operator = "/apis/apps/v1/namespaces/tenants/deployments/tenant-operator"
    pages = {
        **DISCOVERY,
        **_GROUP,
        "/apis/platform.example.com/v1/tenants/blue": tenant("blue"),
        "/apis/platform.example.com/v1/tenants": make_list(
            tenant("blue"), tenant("red", status={}), tenant("green", status={"phase": "Ready"})
        ),
        "/apis/apps/v1/deployments": make_list(
            make_object("tenant-operator", "tenants"), make_object("example-web", "shop")
        ),
        "/apis/apps/v1/statefulsets": make_list(),
        "/apis/apps/v1/daemonsets": make_list(),
        "/apis/coordination.k8s.io/v1/leases": make_list(),
        operator: {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            **make_object("tenant-operator", "tenants"),
            "spec": {"replicas": 1},
            "status": {"replicas": 1, "unavailableReplicas": 1},
        },
    }
    with cluster(pages) as c:
        (found,) = pick(
            ask(c, Want(TypeStatus, Ref("Tenant.platform.example.com", None, "blue"))), TypeStatus
        )
    assert (found.offered, found.others, found.written, found.whole) == (True, 2, 1, True)
    assert [(x.ref.name, x.ready, x.wanted) for x in found.controllers] == [("tenant-operator", 0, 1)]


def test_the_requests_of_one_kubelet_are_told_apart_from_those_of_others() -> None:
    def request(name: str, node: str, **status: object) -> dict[str, object]:
        spec = {
            "signerName": "kubernetes.io/kubelet-serving",
            "username": f"system:node:{node}",
            "request": "LS0t",
        }
        meta = make_object(name, creationTimestamp="2026-11-20T03:00:00Z")
        return {
            "apiVersion": "certificates.k8s.io/v1",
            "kind": "CertificateSigningRequest",
            **meta,
            "spec": spec,
            "status": status,
        }

    approved = {"conditions": [{"type": "Approved", "status": "True"}]}
    pages = {
        _CSRS: make_list(
            request("csr-a", "n1"),
            request("csr-b", "n2"),
            request("csr-c", "n1", **approved, certificate="LS0t"),
        )
    }
    with cluster(pages) as c:
        facts = ask(c, Want(NodeRequests, Ref("Node", None, "n1")))
    (told,) = pick(facts, NodeRequests)
    assert [r.name for r in told.refs] == ["csr-a", "csr-c"] and told.whole
    assert {f.about.name: (f.approved, f.settled) for f in pick(facts, SigningRequest)} == {
        "csr-a": (False, False),
        "csr-c": (True, True),
    }
