"""A memory limit of 2 MiB, in its right unit, is less than the runtime's own first process needs."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-limit-too-low", "two-mebibytes"


def apply(lab: Lab) -> None:
    container = {"resources": {"limits": {"memory": "2Mi"}}}
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container=container, automountServiceAccountToken=False))


def held(lab: Lab) -> str | None:
    return _kit.unmade(lab, NS, NAME)


FAULT = Fault(
    name="limit-too-low",
    summary="a memory limit is too low to start the container at all",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("resources.memory-limit-too-low",),
    with_node="likely",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
    settle=90,
)
