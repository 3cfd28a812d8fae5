"""The file system of a node's logs is full: the kubelet cannot make the directory of a Pod's logs."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import POD_RIPE, Fault
from unstuck_lab.faults import _checks, _log_disk, _objects, _steps

NS, NAME, NODE = "f-logs-full", "no-room-for-logs", "lab-1"


def apply(lab: Lab) -> None:
    # Twice: the file system frees space that it had reserved for the first file once that is written.
    fill = "; ".join(
        f"dd if=/dev/zero of={_log_disk.LOGS}/{name}.log bs=1k conv=fsync 2>/dev/null || true"
        for name in ("large", "rest")
    )
    _log_disk.mount(lab.get_node(NODE), fill)
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, nodeName=NODE))


def heal(lab: Lab) -> None:
    _log_disk.unmount(lab.get_node(NODE))
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="logs-full",
    summary="no Pod starts on a node because the file system of its logs is full",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("node.disk-full",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _checks.find_event(
        lab, NS, NAME, "FailedCreatePodSandBox", "no space left on device"
    ),
    heal=heal,
    ripe=POD_RIPE,
)
