"""Every node was recreated without the label in a Deployment's node selector; a quota blocks another
Deployment's Pods.
"""

from functools import partial

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import POD_RIPE, Fault
from unstuck_lab.faults import _objects, _owned, _steps

NS, LABEL = "f-nodes-replaced", "f-nodes-replaced.example.com/type"
SHOP = f"/apis/apps/v1/namespaces/{NS}/deployments/{_owned.WEB}"


def _is_ready(lab: Lab, name: str) -> bool:
    found = lab.get(f"/api/v1/nodes/{name}")
    return (
        any(c["type"] == "Ready" and c["status"] == "True" for c in found["status"].get("conditions", []))
        if found
        else False
    )


def apply(lab: Lab) -> None:
    for node in lab.nodes:
        change = {"metadata": {"labels": {LABEL: "m5"}}}
        lab.request(
            "PATCH",
            f"/api/v1/nodes/{node.name}",
            change,
            content_type="application/strategic-merge-patch+json",
        )
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "cpu", "namespace": NS},
        "spec": {"hard": {"requests.cpu": "50m"}},
    }
    lab.apply(
        _objects.make_namespace(NS),
        _owned.make_deployment(NS, replicas=2, nodeSelector={LABEL: "m5"}, container=_make_request("10m")),
        quota,
    )
    lab.wait(
        lambda: (lab.get(SHOP) or {}).get("status", {}).get("readyReplicas") == 2,
        60,
        f"deployment {NS}/{_owned.WEB} ready",
    )
    lab.apply(_owned.make_stateful_set(NS, container=_make_request("40m")))
    for node in lab.nodes:
        node.stop_kubelet()
        _steps.delete(lab, f"/api/v1/nodes/{node.name}")
        node.start_kubelet()
        lab.wait(partial(_is_ready, lab, node.name), 60, f"node {node.name} ready again")
    # The Pods are removed with the node, as when a machine is decommissioned.
    for pod in lab.request("GET", f"/api/v1/namespaces/{NS}/pods?labelSelector=app%3D{_owned.WEB}")["items"]:
        _steps.delete_pod(lab, NS, pod["metadata"]["name"], grace=0)


def _make_request(cpu: str) -> _objects.Object:
    return {"resources": {"requests": {"cpu": cpu}}}


def observe(lab: Lab) -> str | None:
    pods = lab.request("GET", f"/api/v1/namespaces/{NS}/pods?labelSelector=app%3D{_owned.WEB}")["items"]
    said = [
        c.get("message", "")
        for p in pods
        for c in p["status"].get("conditions", [])
        if c["type"] == "PodScheduled"
    ]
    return said[0] if len(said) == 2 and all("affinity/selector" in m for m in said) else None


FAULT = Fault(
    name="nodes-replaced",
    summary="every node was recreated without the label that a Deployment's Pods select",
    scope="cluster",
    subject=f"deployment/{_owned.WEB}",
    namespace=NS,
    accepts=("scheduling.node-selector-mismatch",),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    settle=120,
    ripe=POD_RIPE,
)
