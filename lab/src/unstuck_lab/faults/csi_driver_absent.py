"""A CSI driver registers, serves a Pod's volume, and vanishes with its sockets: the kubelet cannot unmount
the volume.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _csi, _kit, _plugin

NS, NAME = "f-csi-driver-absent", "csi-orphan"


def apply(lab: Lab) -> None:
    _csi.make(lab, NS, NAME)
    _plugin.kill(lab, NS, "csi")
    lab.wait(lambda: not _csi.registered(lab, NS), 30, f"end of the registration of {_plugin.name(NS)}")
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    return _kit.kubelet_said(lab, NS, NAME, "not found in the list of registered CSI drivers")


def heal(lab: Lab) -> None:
    _csi.heal(lab, NS)


FAULT = Fault(
    name="csi-driver-absent",
    summary="a Pod stays because the CSI driver of its volume is gone from the node",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("volume.csi-driver-absent",),
    with_node="proven",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
)
