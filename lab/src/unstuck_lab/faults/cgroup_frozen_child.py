"""A process in a group below the Pod's own is frozen: the containers end, and the Pod stays with phase
Failed, because its cgroup cannot be removed; the API shows no reason.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _cgroups, _hung, _objects, _steps

NS, NAME = "f-cgroup-frozen-child", "left-frozen"
PROCESS = ["/bin/sleep", "864001"]


def apply(lab: Lab) -> None:
    node = _hung.find_last_node(lab)
    pod = _steps.run(lab, _objects.make_pod(NS, NAME, nodeName=node.name))
    group = lab.wait(lambda: _cgroups.find_pod_group(node, pod["metadata"]["uid"]), 10, "cgroup of the pod")
    pid = node.find(PROCESS) or node.spawn(PROCESS, log="left-frozen")
    _cgroups.set_state(_cgroups.make_child(group, pid), "FROZEN")
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    return _cgroups.find_removal_failure(lab, NS, NAME)


def heal(lab: Lab) -> None:
    _cgroups.thaw(lab, NS)
    for node in lab.nodes:
        if node.running:
            node.kill(PROCESS)
    _steps.remove_namespace(lab, NS, timeout=180)


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
    observe=observe,
    heal=heal,
)
