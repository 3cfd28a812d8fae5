"""A ReplicaSet is deleted in the foreground, and its Pod has a finalizer that is never cleared."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-foreground-dependents", "web"
PATH = f"/apis/apps/v1/namespaces/{NS}/replicasets/{NAME}"


def apply(lab: Lab) -> None:
    spec = _objects.make_workload_template(NS, NAME)
    spec["template"]["metadata"]["finalizers"] = ["example.com/hold"]
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": NAME, "namespace": NS},
        "spec": {"replicas": 1} | spec,
    }
    lab.apply(_objects.make_namespace(NS), owner)
    lab.wait(lambda: _list_pods(lab), 60, f"pod of {NS}/{NAME}")
    _steps.wait_running(lab, NS, _list_pods(lab)[0])
    lab.request("DELETE", PATH, {"propagationPolicy": "Foreground"})


def _list_pods(lab: Lab) -> list[str]:
    return [pod["metadata"]["name"] for pod in lab.request("GET", f"/api/v1/namespaces/{NS}/pods")["items"]]


def observe(lab: Lab) -> str | None:
    owner = lab.get(PATH)
    ended = [
        pod
        for name in _list_pods(lab)
        if (pod := _checks.find_deleting_pod(lab, NS, name))
        and pod["metadata"].get("deletionGracePeriodSeconds") == 0
    ]
    if owner and "foregroundDeletion" in owner["metadata"].get("finalizers", []) and ended:
        return (
            f"the ReplicaSet waits for Pod {ended[0]['metadata']['name']}, held by "
            f"{ended[0]['metadata']['finalizers']}"
        )
    return None


def heal(lab: Lab) -> None:
    for name in _list_pods(lab):
        _steps.clear_finalizers(lab, f"/api/v1/namespaces/{NS}/pods/{name}")
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="foreground-dependents",
    summary="a ReplicaSet deleted in the foreground waits for its Pod",
    scope="pod",
    subject=f"rs/{NAME}",
    namespace=NS,
    accepts=("finalizer.unknown-owner",),
    consequences=("deletion.dependents-remain",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
)
