"""A Pod's network has no route out; its program, a real kubectl, asks the API server through its Service and
ends on failure.
"""

from unstuck_lab import build
from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _handler, _objects

NS, NAME = "f-apiserver-cut-off", "asks-the-api"


def apply(lab: Lab) -> None:
    # Mounted from the node: the image has no client.
    program = {
        "name": "kubectl",
        "hostPath": {"path": build.locate_programs(lab.paths).locate("kubectl"), "type": "File"},
    }
    container = {"command": ["/kubectl", "get", "pods"]}
    _handler.put(lab, NS, _objects.make_pod_with_volume(NS, NAME, program, container=container), "no-route")


def observe(lab: Lab) -> str | None:
    ended = _checks.find_termination(lab, NS, NAME)
    if not ended or not ended.get("exitCode") or _checks.count_restarts(lab, NS, NAME) < 1:
        return None
    said = lab.run_kubectl("logs", "-n", NS, NAME, "--tail=1")
    return said if "network is unreachable" in said else None


FAULT = Fault(
    name="apiserver-cut-off",
    summary="a container keeps exiting because its Pod cannot reach the API server's Service",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("network.pod-to-apiserver-broken",),
    # It also exits on its own, as a consequence.
    consequences=("container.exits-by-itself",),
    with_node="likely",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=lambda lab: _handler.remove(lab, NS),
    settle=90,
)
