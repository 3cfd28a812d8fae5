"""The DRA driver of a Pod's device is uninstalled while the Pod runs: the kubelet cannot give the device back."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _dra, _kit, _plugin

NS, NAME = "f-claim-unprepare-unregistered", "no-driver"


def apply(lab: Lab) -> None:
    _dra.make(lab, NS, NAME)
    _plugin.kill(lab, NS, "dra")
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    return _plugin.said(lab, NS, NAME, "unprepare dynamic resources", "is not registered")


def heal(lab: Lab) -> None:
    _dra.heal(lab, NS)


FAULT = Fault(
    name="claim-unprepare-unregistered",
    summary="a Pod stays because the driver of its claimed device is gone from the node",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("resources.claim-unprepare-failed",),
    consequences=(),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
)
