"""The node label in a Deployment's node selector was removed; then its Pods were recreated."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _owned, _rollout, _steps

NS, LABEL = "f-label-removed", "f-label-removed.example.com/pool"


def _set_label(lab: Lab, value: str | None) -> None:
    path = f"/api/v1/nodes/{lab.nodes[0].name}"
    lab.request(
        "PATCH",
        path,
        {"metadata": {"labels": {LABEL: value}}},
        content_type="application/strategic-merge-patch+json",
    )


def apply(lab: Lab) -> None:
    _set_label(lab, "web")
    lab.apply(
        _objects.make_namespace(NS), _owned.make_deployment(NS, replicas=2, nodeSelector={LABEL: "web"})
    )
    path = f"/apis/apps/v1/namespaces/{NS}/deployments/{_owned.WEB}"
    lab.wait(
        lambda: (lab.get(path) or {}).get("status", {}).get("readyReplicas") == 2,
        60,
        f"deployment {NS}/{_owned.WEB} ready",
    )
    _set_label(lab, None)
    pods = lab.request("GET", f"/api/v1/namespaces/{NS}/pods")["items"]
    _steps.delete_pod(lab, NS, pods[0]["metadata"]["name"], grace=1)


def heal(lab: Lab) -> None:
    _set_label(lab, None)
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="label-removed",
    summary="the node label that a Deployment's Pods select was removed",
    scope="pod",
    subject=f"deployment/{_owned.WEB}",
    namespace=NS,
    accepts=("scheduling.node-selector-mismatch",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=_rollout.make_refusal_check(NS, "affinity/selector"),
    heal=heal,
    settle=90,
)
