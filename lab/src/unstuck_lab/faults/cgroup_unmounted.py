"""A cgroup v1 hierarchy that runc requires is no longer mounted on a node."""

from unstuck_lab import cgroups
from unstuck_lab.cluster import Lab
from unstuck_lab.fault import POD_RIPE, Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME, NODE = "f-cgroup-unmounted", "no-group", "lab-2"
AT = "/sys/fs/cgroup/devices"


def apply(lab: Lab) -> None:
    lab.get_node(NODE).check(["umount", AT])
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, nodeName=NODE))


def heal(lab: Lab) -> None:
    node = lab.get_node(NODE)
    if node.running and node.run(["mountpoint", "-q", AT]).returncode != 0:
        mine = next(h for h in cgroups.list_hierarchies() if str(h.mountpoint) == AT)
        node.check(["mount", "-t", mine.fstype, "-o", mine.options, mine.fstype, AT])
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="cgroup-unmounted",
    summary="no Pod starts on a node because a cgroup controller is not mounted there",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("cgroup.controller-missing",),
    with_node="likely",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _checks.find_event(
        lab, NS, NAME, "FailedCreatePodSandBox", "mountpoint for devices not found"
    ),
    heal=heal,
    ripe=POD_RIPE,
)
