"""The kernel finds an error in the file system of a node's logs, and remounts it read-only."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _log_disk

NODE = "lab-2"


def apply(lab: Lab) -> None:
    # Triggers ext4's reaction to an error (Documentation/ABI/testing/sysfs-fs-ext4).
    _log_disk.mount(lab.get_node(NODE), "echo 1 > /sys/fs/ext4/$(basename $device)/trigger_fs_error")


def observe(lab: Lab) -> str | None:
    done = lab.get_node(NODE).run(["touch", f"{_log_disk.LOGS}/pods/x"])
    return done.stderr.strip() if "Read-only file system" in done.stderr else None


FAULT = Fault(
    name="logs-read-only",
    summary="the file system of a node's logs has become read-only",
    scope="node",
    node=NODE,
    subject=f"node/{NODE}",
    namespace=None,
    accepts=("node.filesystem-read-only",),
    with_node="proven",
    without_node="fine",  # the API does not show the fault
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=lambda lab: _log_disk.unmount(lab.get_node(NODE)),
    ripe=5,
)
