"""A process in a group below the Pod's own is frozen: the containers end, the Pod reads Failed and stays without a word in the API,
because its cgroup cannot be removed.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _cgroups, _hung, _kit

NS, NAME = "f-cgroup-frozen-child", "left-frozen"
PROCESS = ["/bin/sleep", "864001"]


def apply(lab: Lab) -> None:
    node = _hung.last_node(lab)
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, nodeName=node.name))
    pod = _kit.wait_running(lab, NS, NAME)
    group = lab.wait(lambda: _cgroups.of_pod(node, pod["metadata"]["uid"]), 10, "cgroup of the pod")
    pid = node.find(PROCESS) or node.spawn(PROCESS, log="left-frozen")
    _cgroups.set_state(_cgroups.child(group, pid), "FROZEN")
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    pod = _kit.deleting(lab, NS, NAME)
    if pod is None or pod["status"].get("phase") not in ("Failed", "Succeeded"):
        return None
    node, uid = _hung.last_node(lab), pod["metadata"]["uid"]
    return _kit.log_line(node.kubelet_log.read_text(errors="replace"), "Failed to delete cgroup paths", uid)


def heal(lab: Lab) -> None:
    _cgroups.thaw(lab, NS)
    for node in lab.nodes:
        if node.running:
            node.kill(PROCESS)
    _kit.remove_namespace(lab, NS, timeout=180)


FAULT = Fault(
    name="cgroup-frozen-child",
    summary="a Pod stays because a frozen process in a group below its own keeps its cgroup",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("process.frozen",),
    consequences=("cgroup.left-behind",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
)
