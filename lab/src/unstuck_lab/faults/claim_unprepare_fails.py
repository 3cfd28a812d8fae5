"""A DRA driver answers every NodeUnprepareResources with an error for the claim: the kubelet tries again
forever.
"""

from unstuck_lab.faults import _dra, _plugin

FAULT = _dra.make_fault(
    "claim-unprepare-fails",
    "a Pod stays because the driver of its claimed device refuses to take it back",
    pod="kept-device",
    spoil=lambda lab, ns: _plugin.tell(lab, ns, "fail"),
    says="operation refused",
    with_node="likely",
)
