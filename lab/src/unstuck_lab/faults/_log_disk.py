"""A node's logs on a small separate file system. No fault by itself."""

from unstuck_lab.node import Node

LOGS = "/var/log"
_IMAGE = "/run/unstuck-lab-logs.img"
_DEVICE = f"$(losetup -j {_IMAGE} | cut -d: -f1)"


def mount(node: Node, more: str = "") -> None:
    """Mount a small disk over the log directory; `more` is further shell code, with the device in
    `$device`.
    """
    make = (
        f"truncate -s 16M {_IMAGE}; mkfs.ext4 -q -F -m 0 {_IMAGE}; device=$(losetup --find --show {_IMAGE})"
    )
    node.check(["sh", "-ec", f"{make}; mount -o errors=remount-ro $device {LOGS}; mkdir {LOGS}/pods; {more}"])


def unmount(node: Node) -> None:
    """Unmount the disk from the log directory. Idempotent."""
    if node.running and node.run(["test", "-e", _IMAGE]).returncode == 0:
        node.run(["sh", "-c", f"umount -l {LOGS}; losetup -d {_DEVICE}; rm -f {_IMAGE}"])
