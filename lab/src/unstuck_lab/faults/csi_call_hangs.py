"""A CSI driver's NodeUnpublishVolume never returns: the kubelet waits for it, gives up, and tries again
forever.
"""

from unstuck_lab.faults import _csi

FAULT = _csi.make_fault(
    "csi-call-hangs",
    "a Pod stays because its CSI driver does not return from unmounting",
    pod="csi-hang",
    told="hang",
    says="DeadlineExceeded",
    settle=200,
)
