"""A DRA driver's NodeUnprepareResources never returns: the kubelet waits 45 s, gives up, and tries again
forever.
"""

from unstuck_lab.faults import _dra, _plugin

FAULT = _dra.make_fault(
    "claim-unprepare-hangs",
    "a Pod stays because the driver of its claimed device does not return",
    pod="held-device",
    spoil=lambda lab, ns: _plugin.tell(lab, ns, "hang"),
    says="DeadlineExceeded",
    with_node="likely",
    settle=120,
)
