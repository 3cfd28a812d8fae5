"""A volume needs a file system without tools on its node: no distribution ships mkfs.reiserfs any more."""

from unstuck_lab.faults import _device

FAULT = _device.make_fault(
    "filesystem-unsupported",
    "a Pod's volume is to have a file system that its node cannot make",
    pod="wants-reiserfs",
    filesystem="reiserfs",
    says="executable file not found",
    accepts="volume.filesystem-unsupported",
)
