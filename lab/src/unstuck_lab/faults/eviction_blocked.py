"""A cordoned Node cannot be drained: one Pod of the set is not Ready, and its disruption budget allows no
other to be evicted.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import ApiError
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _steps

NS, NODE = "f-eviction-blocked", "lab-1"
POD = f"/api/v1/namespaces/{NS}/pods/web-a"


def apply(lab: Lab) -> None:
    never = {"readinessProbe": {"exec": {"command": ["false"]}, "periodSeconds": 5}}
    pods = [_objects.make_pod(NS, "web-a", nodeName=NODE), _objects.make_pod(NS, "web-b", container=never)]
    for pod in pods:
        pod["metadata"]["labels"] = {"app": "web"}
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": NS},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    }
    lab.apply(_objects.make_namespace(NS), budget, *pods)
    _steps.wait_running(lab, NS, "web-a")
    lab.run_kubectl("cordon", NODE)


def observe(lab: Lab) -> str | None:
    """Return the answer to an eviction request. It is a dry run: no Pod is evicted."""
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "web-a", "namespace": NS}}
    try:
        lab.request("POST", f"{POD}/eviction?dryRun=All", body)
    except ApiError as error:
        return str(error) if error.code == 429 else None
    return None


def heal(lab: Lab) -> None:
    lab.run_kubectl("uncordon", NODE)
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="eviction-blocked",
    summary="a cordoned Node keeps a Pod whose disruption budget allows no eviction",
    scope="node",
    node=NODE,
    subject=f"node/{NODE}",
    namespace=None,
    accepts=("deletion.eviction-blocked",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
)
