"""A DRA driver answers every NodePrepareResources with an error for the claim: the Pod never gets its
sandbox.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _dra, _plugin

NS, NAME = "f-claim-prepare-fails", "needs-device"


def apply(lab: Lab) -> None:
    _plugin.tell(lab, NS, "prepare-fail")
    _dra.put(lab, NS, NAME)


FAULT = Fault(
    name="claim-prepare-fails",
    summary="a Pod does not start because the driver of its claimed device refuses to prepare it",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("resources.claim-prepare-failed",),
    # Only the kubelet's second report proves it, and its second try may come more than a minute later.
    with_node="likely",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _checks.find_event(
        lab, NS, NAME, "FailedPrepareDynamicResources", "operation refused"
    ),
    heal=lambda lab: _dra.heal(lab, NS),
    settle=90,
)
