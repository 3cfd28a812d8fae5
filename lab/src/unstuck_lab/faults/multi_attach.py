"""A volume for one node is attached to a Pod's node; a second Pod of the same claim was placed elsewhere."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _attach

NS, NAME = "f-multi-attach", "has-disk"


def apply(lab: Lab) -> None:
    _attach.make(lab, NS, NAME)
    _attach.start_next(lab, NS)


FAULT = Fault(
    name="multi-attach",
    summary="a Pod's volume is attached to another node, where another Pod uses it",
    scope="pod",
    subject=f"pod/{_attach.NEXT}",
    namespace=NS,
    accepts=("volume.multi-attach",),
    with_node="likely",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _attach.find_attach_failure(lab, NS, "Multi-Attach error"),
    heal=_attach.make_heal(NS, NAME),
    settle=120,
)
