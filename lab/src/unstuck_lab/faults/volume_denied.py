"""A CSI driver answers every NodePublishVolume with PermissionDenied: the storage does not let this
account mount the volume.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _csi, _plugin

NS, NAME = "f-volume-denied", "locked-out"


def apply(lab: Lab) -> None:
    _plugin.tell(lab, NS, "publish-denied")
    _csi.put(lab, NS, NAME)


def heal(lab: Lab) -> None:
    _csi.heal(lab, NS)


FAULT = Fault(
    name="volume-denied",
    summary="a Pod does not start because its storage refuses the mount of its volume",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("volume.permission-denied",),
    with_node="proven",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _checks.find_event(lab, NS, NAME, "FailedMount", "PermissionDenied"),
    heal=heal,
)
