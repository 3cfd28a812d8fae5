"""A CSI driver's NodeUnpublishVolume never returns: the kubelet waits for it, gives up, and tries again for ever."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _csi, _kit, _plugin

NS, NAME = "f-csi-call-hangs", "csi-hang"


def apply(lab: Lab) -> None:
    _csi.make(lab, NS, NAME)
    _plugin.tell(lab, NS, "hang")
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    return _plugin.said(lab, NS, NAME, "UnmountVolume.TearDown failed", "DeadlineExceeded")


def heal(lab: Lab) -> None:
    _csi.heal(lab, NS)


FAULT = Fault(
    name="csi-call-hangs",
    summary="a Pod stays because its CSI driver does not return from unmounting",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("volume.csi-call-failed",),
    consequences=(),
    with_node="likely",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
    settle=200,
)
