"""Something else on the node has opened a volume's device for itself alone, as multipathd does: it cannot
be formatted.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _device
from unstuck_lab.faults._plugin import NODE

_HOLD = "import os, sys, time; os.open(sys.argv[1], os.O_RDWR | os.O_EXCL); time.sleep(86400)"


def _holder(device: str) -> list[str]:
    return ["/usr/bin/python3", "-c", _HOLD, device]


def _claim(lab: Lab, device: str) -> None:
    node = lab.get_node(NODE)
    if node.find(_holder(device)) is None:
        node.spawn(_holder(device), log="device-holder")


def _release(lab: Lab, device: str) -> None:
    node = lab.get_node(NODE)
    node.kill(_holder(device))
    lab.wait(lambda: node.find(_holder(device)) is None, 5, f"end of what holds {device}")


FAULT = _device.fault(
    "device-claimed",
    "a Pod's volume is not mounted, because something else on its node holds the device",
    pod="taken-disk",
    filesystem="ext4",
    spoil=(_claim, _release),
    says="apparently in use by the system",
    accepts="volume.device-claimed",
)
