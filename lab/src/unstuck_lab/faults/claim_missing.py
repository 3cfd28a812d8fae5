"""A Pod mounts a claim that does not exist."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-claim-missing", "wants-data"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS), _objects.make_pod_with_claim(NS, NAME, "data"))


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedScheduling", 'persistentvolumeclaim "data" not found')


FAULT = Fault(
    name="claim-missing",
    summary="a Pod mounts a claim that does not exist",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("storage.claim-missing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
