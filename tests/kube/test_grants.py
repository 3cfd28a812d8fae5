"""Bindings with their accounts and roles, of a Namespace and of the whole cluster."""

from __future__ import annotations

import pytest

from tests.kube.cluster import DISCOVERY, ask, cluster, make_list, make_object, pick
from unstuck.facts.aspects.grants import Binding, Bindings
from unstuck.facts.core import Ref, Refused, Want

RBAC = "/apis/rbac.authorization.k8s.io/v1"


def binding(name: str, namespace: str | None, role: str) -> dict[str, object]:
    subjects = [
        {"kind": "ServiceAccount", "name": "web", "namespace": "shop"},
        {"kind": "Group", "name": "system:authenticated"},
    ]
    kind = "RoleBinding" if namespace else "ClusterRoleBinding"
    meta = make_object(name, namespace)
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": kind,
        **meta,
        "roleRef": {"kind": role, "name": "r"},
        "subjects": subjects,
    }


@pytest.mark.parametrize(
    ("about", "path", "item", "role"),
    [
        (
            Ref("RoleBindingList", "shop"),
            f"{RBAC}/namespaces/shop/rolebindings",
            binding("b", "shop", "Role"),
            Ref("Role", "shop", "r"),
        ),
        (
            Ref("ClusterRoleBindingList"),
            f"{RBAC}/clusterrolebindings",
            binding("b", None, "ClusterRole"),
            Ref("ClusterRole", None, "r"),
        ),
    ],
)
def test_a_binding_tells_its_role_and_its_subjects(
    about: Ref, path: str, item: dict[str, object], role: Ref
) -> None:
    with cluster({**DISCOVERY, path: make_list(item)}) as c:
        [found] = pick(ask(c, Want(Bindings, about)), Bindings)
    [one] = found.items
    assert isinstance(one, Binding)
    assert (one.role, one.accounts, one.others) == (
        role,
        (Ref("ServiceAccount", "shop", "web"),),
        ("system:authenticated",),
    )


@pytest.mark.parametrize(
    "about", [Ref("Container", "shop/web-0", "c"), Ref("Pod", "shop", "web-0"), Ref("RoleBindingList")]
)
def test_of_anything_else_it_is_a_refusal(about: Ref) -> None:
    with cluster(DISCOVERY) as c:
        told = ask(c, Want(Bindings, about))
    assert [f.about for f in told if isinstance(f, Refused)] == [about]
