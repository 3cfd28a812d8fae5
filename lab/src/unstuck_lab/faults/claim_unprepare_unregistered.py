"""The DRA driver of a Pod's device is uninstalled while the Pod runs: the kubelet cannot give the device
back.
"""

from unstuck_lab.faults import _dra, _plugin

FAULT = _dra.make_fault(
    "claim-unprepare-unregistered",
    "a Pod stays because the driver of its claimed device is gone from the node",
    pod="no-driver",
    spoil=lambda lab, ns: _plugin.kill(lab, ns, "dra"),
    says="is not registered",
    with_node="proven",
)
