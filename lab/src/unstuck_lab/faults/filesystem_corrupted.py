"""The file system of a volume has lost its root directory: fsck does not repair that automatically, so the
kubelet does not mount it.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _device
from unstuck_lab.faults._plugin import NODE


def _damage(lab: Lab, device: str) -> None:
    node = lab.get_node(NODE)
    node.check(["mkfs.ext4", "-q", "-F", device])
    # Clear the root inode, and record errors in the superblock.
    for request in ("clri <2>", "ssv state 2"):
        node.check(["debugfs", "-w", "-R", request, device])


FAULT = _device.make_fault(
    "filesystem-corrupted",
    "a Pod's volume is not mounted, because its file system is damaged",
    pod="damaged",
    filesystem="ext4",
    spoil=(_damage, _device.do_nothing),
    says="UNEXPECTED INCONSISTENCY",
    accepts="volume.filesystem-corrupted",
)
