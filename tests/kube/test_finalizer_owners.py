"""The owner of a finalizer: found by name, by managed fields, by lists."""

from __future__ import annotations

import pytest

from tests.kube.cluster import DISCOVERY, ask, cluster, make_list, make_object, pick
from unstuck.collect.kube.questions.finalizers import group_in, manager_of, words
from unstuck.facts.aspects.cluster import FinalizerOwner
from unstuck.facts.aspects.objects import Phase
from unstuck.facts.core import Ref, Want

LISTS = {
    "/apis/apps/v1/deployments": make_list(
        make_object("acme-controller", "acme-system"), make_object("web", "shop")
    ),
    "/apis/apps/v1/statefulsets": make_list(),
    "/apis/apps/v1/daemonsets": make_list(),
    "/apis/coordination.k8s.io/v1/leases": make_list(
        {
            **make_object("leader", "acme-system"),
            "spec": {
                "holderIdentity": "acme-controller-7d-x_1",
                "renewTime": "2026-11-21T00:00:00.000000Z",
                "leaseDurationSeconds": 15,
            },
        }
    ),
    "/apis/apps/v1/namespaces/acme-system/deployments/acme-controller": {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        **make_object("acme-controller", "acme-system"),
        "spec": {"replicas": 1},
        "status": {"readyReplicas": 1, "replicas": 1},
    },
    **DISCOVERY,
}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    **make_object("p", "shop", finalizers=["acme.io/hold", "kubernetes.io/pvc-protection"]),
}


def owners(pages) -> dict[str, FinalizerOwner]:
    with cluster({"/api/v1/namespaces/shop/pods/p": POD, **pages}) as c:
        return {
            f.finalizer: f
            for f in pick(ask(c, Want(FinalizerOwner, Ref("Pod", "shop", "p"))), FinalizerOwner)
        }


def test_an_owner_is_found_by_its_name_and_lives_by_its_lease():
    found = owners(LISTS)["acme.io/hold"]
    (candidate,) = found.candidates
    assert (candidate.ref.name, candidate.ready, candidate.wanted, candidate.lease_seconds) == (
        "acme-controller",
        1,
        1,
        15,
    )
    assert candidate.renewed is not None
    assert "'acme'" in candidate.why
    assert found.searched[:4] == ("deployments", "statefulsets", "daemonsets", "leases")


def test_looking_for_owners_is_counted_apart():
    with cluster({"/api/v1/namespaces/shop/pods/p": POD, **LISTS}) as c:
        ask(c, Want(FinalizerOwner, Ref("Pod", "shop", "p")), Want(Phase, Ref("Pod", "shop", "p")))
        assert (
            len(c.client.requests) - len(c.collector.owner_lookups) == 2
        )  # the Pod, and the group with stale discovery


def test_without_an_owner_it_is_told_where_was_looked():
    found = owners({**LISTS, "/apis/apps/v1/deployments": make_list()})
    assert found["acme.io/hold"].candidates == ()
    assert found["acme.io/hold"].group == "acme.io"
    # One group could not be read, so it is unknown whether it is this one.
    assert found["acme.io/hold"].group_served is None
    assert found["kubernetes.io/pvc-protection"].searched == ()


def test_a_list_that_is_denied_is_not_among_those_looked_through():
    found = owners({k: v for k, v in LISTS.items() if "statefulsets" not in k})["acme.io/hold"]
    assert "statefulsets" not in found.searched
    assert not found.whole


def test_managed_fields_say_who_wrote_a_finalizer():
    fields = {"f:metadata": {"f:finalizers": {".": {}, 'v:"a/b"': {}}}}
    rows = [
        {"manager": "other", "fieldsV1": {}},
        {"manager": "acme", "time": "2026-11-21T00:00:00Z", "fieldsV1": fields},
    ]
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


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("acme-shop", "stonecutter"), [("stonecutter", False)]),
        (("acme-shop", "web"), [("acme-shop", True)]),
        (("acme-operator", "web"), [("acme-operator", False)]),
    ],
)
def test_a_word_of_the_maker_alone_ties_weakly(names, found):
    made = [make_object(name, "store") for name in names]
    pages = {**LISTS, "/apis/apps/v1/deployments": make_list(*made)}
    pod = {**POD, **make_object("p", "shop", finalizers=["stonecutter.acme.example/cut"])}
    (one,) = owners({**pages, "/api/v1/namespaces/shop/pods/p": pod}).values()
    tied = [(c.ref.name, c.weak) for c in one.candidates if c.ref.kind == "Deployment"]
    assert tied == found
