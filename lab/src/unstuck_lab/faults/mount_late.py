"""A CSI driver gives its storage a few seconds for a mount, and answers NodePublishVolume with
DeadlineExceeded, repeatedly.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _csi, _plugin

NS, NAME = "f-mount-late", "mounts-for-ever"


def apply(lab: Lab) -> None:
    _plugin.tell(lab, NS, "publish-late")
    _csi.put(lab, NS, NAME)


FAULT = Fault(
    name="mount-late",
    summary="a Pod does not start because the mount of its volume times out",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("volume.mount-timeout",),
    with_node="likely",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _checks.find_event(lab, NS, NAME, "FailedMount", "DeadlineExceeded"),
    heal=lambda lab: _csi.heal(lab, NS),
)
