"""The log of the controller that works on an object, which is found by its account's rights."""

from __future__ import annotations

from tests.kube.cluster import ask, cluster, make_list, make_object, pick
from unstuck.facts.aspects.reported import ControllerLines, TypeStatus
from unstuck.facts.core import Ref, Want

GROUP, SPACE = "paint.example.com", "/api/v1/namespaces/ops"
PALETTE = Ref("Palette.paint.example.com", "shop", "blue")
DEPLOY = {
    **make_object("brush", "ops"),
    "kind": "Deployment",
    "apiVersion": "apps/v1",
    "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "brush"}}},
    "status": {"readyReplicas": 1},
}
POD = {
    **make_object("brush-5d-x", "ops", labels={"app": "brush", "pod-template-hash": "5d"}),
    "kind": "Pod",
    "apiVersion": "v1",
    "status": {"phase": "Running"},
}
POD["metadata"]["ownerReferences"] = [{"kind": "ReplicaSet", "name": "brush-5d", "controller": True}]
LOG = b"""2026-11-21T03:00:00Z INFO reconciling name=blue error=nil
2026-11-21T03:00:01Z ERROR reconcile failed namespace=shop name=blue err="pigment token=hunter22 is not offered"
2026-11-21T03:00:02Z ERROR reconcile failed namespace=shop name=blue-sky err="no brush"
"""
ROLE = {
    **make_object("painter"),
    "rules": [{"apiGroups": [GROUP], "resources": ["palettes/status"], "verbs": ["update"]}],
}
PERSONS = {
    **ROLE,
    **make_object("paint-edit", labels={"rbac.authorization.k8s.io/aggregate-to-edit": "true"}),
}
BINDING = {
    **make_object("painter"),
    "kind": "ClusterRoleBinding",
    "roleRef": {"kind": "ClusterRole", "name": "painter"},
    "subjects": [{"kind": "ServiceAccount", "namespace": "ops", "name": "brush"}],
}
RBAC = "/apis/rbac.authorization.k8s.io/v1"
PAGES = {
    "/apis/paint.example.com/v1/namespaces/shop/palettes/blue": {
        **make_object("blue", "shop"),
        "apiVersion": f"{GROUP}/v1",
        "kind": "Palette",
        "spec": {"pigment": "x"},
    },
    "/apis/paint.example.com/v1/palettes": make_list(),
    "/apis/apps/v1/deployments": make_list(DEPLOY),
    "/apis/apps/v1/statefulsets": make_list(),
    "/apis/apps/v1/daemonsets": make_list(),
    "/apis/coordination.k8s.io/v1/leases": make_list(),
    "/apis/apps/v1/namespaces/ops/deployments/brush": DEPLOY,
    f"{RBAC}/clusterroles": make_list(ROLE, PERSONS),
    f"{RBAC}/clusterrolebindings": make_list(BINDING),
    f"{RBAC}/rolebindings": make_list(),
    f"{SPACE}/pods": make_list(POD),
    f"{SPACE}/pods/brush-5d-x/log": (200, LOG),
    "/api": {"versions": ["v1"]},
    "/apis": {
        "kind": "APIGroupDiscoveryList",
        "items": [
            {
                "metadata": {"name": GROUP},
                "versions": [
                    {
                        "version": "v1",
                        "resources": [
                            {
                                "resource": "palettes",
                                "responseKind": {"kind": "Palette", "group": GROUP, "version": "v1"},
                                "scope": "Namespaced",
                                "verbs": ["list", "get"],
                            }
                        ],
                    }
                ],
            }
        ],
    },
}


def test_a_controller_is_found_by_its_rights_and_its_log_read_for_the_object():
    with cluster(PAGES) as c:
        (status,) = pick(ask(c, Want(TypeStatus, PALETTE)), TypeStatus)
        (lines,) = pick(ask(c, Want(ControllerLines, PALETTE)), ControllerLines)
    brush = Ref("Deployment", "ops", "brush")
    assert [(c.ref, c.ready) for c in status.controllers] == [(brush, 1)]
    assert "ClusterRole painter" in status.controllers[0].why
    (line,) = lines.items
    assert line.by == brush and "namespace=shop name=blue err=" in line.line
    assert "hunter22" not in line.line and not lines.whole
