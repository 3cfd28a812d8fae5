"""A Pod's whole cgroup is frozen when the Pod is deleted. In cgroup v1 a frozen process handles no signal:
SIGKILL stays pending, and the API shows nothing for four minutes.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _cgroups, _checks, _hung, _objects, _steps

NS, NAME = "f-process-frozen", "frozen"


def apply(lab: Lab) -> None:
    node = _hung.find_last_node(lab)
    pod = _steps.run(lab, _objects.make_pod(NS, NAME, nodeName=node.name))
    group = lab.wait(lambda: _cgroups.find_pod_group(node, pod["metadata"]["uid"]), 10, "cgroup of the pod")
    _cgroups.set_state(group, "FROZEN")
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    pod = _checks.find_deleting_pod(lab, NS, NAME)
    if pod is None:
        return None
    uid = pod["metadata"]["uid"]
    group = _cgroups.find_pod_group(_hung.find_last_node(lab), uid)
    asked = _checks.find_kubelet_line(lab, pod, "Killing container with a grace period", uid)
    state = (group / "freezer.state").read_text().strip() if group else ""
    return f"{group}/freezer.state {state}" if state == "FROZEN" and asked else None


def heal(lab: Lab) -> None:
    _cgroups.thaw(lab, NS)
    # The runtime checks the process again once the kubelet's call has timed out.
    _steps.remove_namespace(lab, NS, timeout=180)


FAULT = Fault(
    name="process-frozen",
    summary="a Pod stays because its cgroup is frozen, so its processes cannot be killed",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("process.frozen",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
)
