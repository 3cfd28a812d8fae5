"""A CSI driver answers every NodeUnpublishVolume with an error: the kubelet tries again forever."""

from unstuck_lab.faults import _csi

FAULT = _csi.make_fault(
    "csi-call-fails",
    "a Pod stays because its CSI driver refuses to unmount its volume",
    pod="csi-fail",
    told="fail",
    says="operation refused",
)
