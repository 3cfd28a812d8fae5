"""A process outside the node's PID namespace is in a group below the Pod's own, like a host tool where the
kubelet runs in a container: the kubelet does not see it, cannot kill it, and cannot remove the Pod's cgroup.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _cgroups, _hung, _objects, _steps
from unstuck_lab.node import Node

NS, NAME = "f-cgroup-left-behind", "left-behind"
PROCESS = ["/bin/sleep", "864002"]


def _find_foreign_node(lab: Lab) -> Node:
    """Return a node with processes invisible to the last node."""
    running = [node for node in lab.nodes if node.running]
    if len(running) < 2:
        raise LabError("needs two running nodes", "this fault", "`unstuck-lab up --nodes 2`")
    return running[0]


def apply(lab: Lab) -> None:
    node, foreign = _hung.find_last_node(lab), _find_foreign_node(lab)
    pod = _steps.run(lab, _objects.make_pod(NS, NAME, nodeName=node.name))
    group = lab.wait(
        lambda: _cgroups.find_pod_group(node, pod["metadata"]["uid"], "pids"), 10, "cgroup of the pod"
    )
    _cgroups.make_child(group, foreign.find(PROCESS) or foreign.spawn(PROCESS, log="left-behind"))
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    return _cgroups.find_removal_failure(lab, NS, NAME)


def heal(lab: Lab) -> None:
    for node in lab.nodes:
        if node.running:
            node.kill(PROCESS)
    _steps.remove_namespace(lab, NS, timeout=180)


FAULT = Fault(
    name="cgroup-left-behind",
    summary="a Pod stays because a process that its kubelet cannot see keeps its cgroup",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("cgroup.left-behind",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
)
