"""Another process of the node has opened a volume's device exclusively, as multipathd does: it cannot be
formatted.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _device
from unstuck_lab.faults._plugin import NODE

_HOLD = "import os, sys, time; os.open(sys.argv[1], os.O_RDWR | os.O_EXCL); time.sleep(86400)"


def _build_holder_command(device: str) -> list[str]:
    return ["/usr/bin/python3", "-c", _HOLD, device]


def _hold(lab: Lab, device: str) -> None:
    node = lab.get_node(NODE)
    if node.find(_build_holder_command(device)) is None:
        node.spawn(_build_holder_command(device), log="device-holder")


def _release(lab: Lab, device: str) -> None:
    node = lab.get_node(NODE)
    node.kill(_build_holder_command(device))
    lab.wait(lambda: node.find(_build_holder_command(device)) is None, 5, f"end of what holds {device}")


FAULT = _device.make_fault(
    "device-claimed",
    "a Pod's volume is not mounted, because something else on its node holds the device",
    pod="taken-disk",
    filesystem="ext4",
    spoil=(_hold, _release),
    says="apparently in use by the system",
    accepts="volume.device-claimed",
)
