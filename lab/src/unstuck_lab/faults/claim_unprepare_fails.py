"""A DRA driver answers every NodeUnprepareResources with an error for the claim: the kubelet tries again for ever."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _dra, _kit, _plugin

NS, NAME = "f-claim-unprepare-fails", "kept-device"


def apply(lab: Lab) -> None:
    _dra.make(lab, NS, NAME)
    _plugin.tell(lab, NS, "fail")
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    return _plugin.said(lab, NS, NAME, "unprepare dynamic resources", "operation refused")


def heal(lab: Lab) -> None:
    _dra.heal(lab, NS)


FAULT = Fault(
    name="claim-unprepare-fails",
    summary="a Pod stays because the driver of its claimed device refuses to take it back",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("resources.claim-unprepare-failed",),
    consequences=(),
    with_node="likely",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
)
