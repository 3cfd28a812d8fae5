"""A ReplicaSet is deleted in the foreground, and its Pod has a finalizer that is never cleared."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-foreground-dependents", "web"
PATH = f"/apis/apps/v1/namespaces/{NS}/replicasets/{NAME}"


def apply(lab: Lab) -> None:
    spec = _kit.template(NS, NAME)
    spec["template"]["metadata"]["finalizers"] = ["example.com/hold"]
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": NAME, "namespace": NS},
        "spec": {"replicas": 1} | spec,
    }
    lab.apply(_kit.namespace(NS), owner)
    lab.wait(lambda: _pods(lab), 60, f"pod of {NS}/{NAME}")
    _kit.wait_running(lab, NS, _pods(lab)[0])
    lab.request("DELETE", PATH, {"propagationPolicy": "Foreground"})


def _pods(lab: Lab) -> list[str]:
    return [pod["metadata"]["name"] for pod in lab.request("GET", f"/api/v1/namespaces/{NS}/pods")["items"]]


def held(lab: Lab) -> str | None:
    owner = lab.get(PATH)
    ended = [
        pod
        for name in _pods(lab)
        if (pod := _kit.deleting(lab, NS, name)) and pod["metadata"].get("deletionGracePeriodSeconds") == 0
    ]
    if owner and "foregroundDeletion" in owner["metadata"].get("finalizers", []) and ended:
        return (
            f"the ReplicaSet waits for Pod {ended[0]['metadata']['name']}, held by "
            f"{ended[0]['metadata']['finalizers']}"
        )
    return None


def heal(lab: Lab) -> None:
    for name in _pods(lab):
        _kit.clear_finalizers(lab, f"/api/v1/namespaces/{NS}/pods/{name}")
    _kit.remove_namespace(lab, NS)


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
    held=held,
    heal=heal,
)
