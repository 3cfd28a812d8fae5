"""A Pod mounts a claim that does not exist."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-claim-missing", "wants-data"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), _kit.with_claim(NS, NAME, "data"))


def held(lab: Lab) -> str | None:
    return _kit.event(lab, NS, NAME, "FailedScheduling", 'persistentvolumeclaim "data" not found')


FAULT = Fault(
    name="claim-missing",
    summary="a Pod mounts a claim that is not there",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("storage.claim-missing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
)
