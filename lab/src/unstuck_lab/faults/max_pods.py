"""A kubelet accepts no more Pods than already run on its node (`maxPods`), and a Pod selects that node."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME, NODE = "f-max-pods", "chooses-lab-3", "lab-3"
CONFIG = "/etc/kubernetes/kubelet.yaml"
USUAL = 110
_ENDED = ("Succeeded", "Failed")


def _set_limit(lab: Lab, most: int) -> None:
    """Restart the kubelet with this limit (omitted if it is the default), and wait until the Node has it."""
    node = lab.get_node(NODE)
    node.check(["sed", "-i", "/^maxPods:/d", CONFIG])
    if most != USUAL:
        node.check(["sh", "-c", f"echo 'maxPods: {most}' >> {CONFIG}"])
    node.stop_kubelet()
    node.start_kubelet()
    lab.wait(
        lambda: _count_offered(lab) == most and lab.is_node_ready(NODE),
        90,
        f"{NODE} Ready with {most} Pods at most",
    )


def _count_offered(lab: Lab) -> int:
    found = lab.get(f"/api/v1/nodes/{NODE}") or {}
    return int(found.get("status", {}).get("allocatable", {}).get("pods", 0))


def _list_placed(lab: Lab) -> list[_objects.Object]:
    found: list[_objects.Object] = lab.request("GET", f"/api/v1/pods?fieldSelector=spec.nodeName%3D{NODE}")[
        "items"
    ]
    return found


def apply(lab: Lab) -> None:
    _steps.run(lab, _objects.make_pod(NS, "is-there", nodeName=NODE))
    # A Pod still terminating from the previous round would later leave room for the rejected Pod.
    lab.wait(
        lambda: not any("deletionTimestamp" in pod["metadata"] for pod in _list_placed(lab)),
        60,
        f"end of the Pods that go from {NODE}",
    )
    # With a lower limit, the kubelet would reject a running Pod at its start.
    _set_limit(lab, sum(pod["status"].get("phase") not in _ENDED for pod in _list_placed(lab)))
    lab.apply(_objects.make_pod(NS, NAME, nodeSelector={"kubernetes.io/hostname": NODE}))


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedScheduling", "Too many pods")


def heal(lab: Lab) -> None:
    if lab.get_node(NODE).running:
        _set_limit(lab, USUAL)
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="max-pods",
    summary="the only node that a Pod selects has reached its limit of Pods",
    scope="cluster",  # a fault of another Node at the same time would change why that Node is rejected
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.insufficient-pods",),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
)
