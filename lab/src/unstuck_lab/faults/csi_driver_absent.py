"""A CSI driver registers, serves a Pod's volume, and vanishes with its sockets: the kubelet cannot unmount
the volume.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _csi, _plugin, _steps

NS, NAME = "f-csi-driver-absent", "csi-orphan"


def apply(lab: Lab) -> None:
    _csi.make(lab, NS, NAME)
    _plugin.kill(lab, NS, "csi")
    lab.wait(
        lambda: not _csi.is_registered(lab, NS), 30, f"end of the registration of {_plugin.name_driver(NS)}"
    )
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    return _checks.find_deletion_line(lab, NS, NAME, "not found in the list of registered CSI drivers")


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
    observe=observe,
    heal=heal,
)
