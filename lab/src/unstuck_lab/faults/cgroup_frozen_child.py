"""A process in a group below the Pod's own is frozen: the containers end, the Pod reads Failed and stays
without a word in the API, because its cgroup cannot be removed.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _cgroups, _hung, _kit

NS, NAME = "f-cgroup-frozen-child", "left-frozen"
PROCESS = ["/bin/sleep", "864001"]


def apply(lab: Lab) -> None:
    node = _hung.last_node(lab)
    pod = _kit.run(lab, _kit.pod(NS, NAME, nodeName=node.name))
    group = lab.wait(lambda: _cgroups.of_pod(node, pod["metadata"]["uid"]), 10, "cgroup of the pod")
    pid = node.find(PROCESS) or node.spawn(PROCESS, log="left-frozen")
    _cgroups.set_state(_cgroups.child(group, pid), "FROZEN")
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    return _cgroups.not_removed(lab, NS, NAME)


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
