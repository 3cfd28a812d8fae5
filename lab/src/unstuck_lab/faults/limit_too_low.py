"""A memory limit of 2 MiB, in the right unit, is less than the runtime's own first process needs."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-limit-too-low", "two-mebibytes"


def apply(lab: Lab) -> None:
    container = {"resources": {"limits": {"memory": "2Mi"}}}
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, container=container, automountServiceAccountToken=False),
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_creation_failure(lab, NS, NAME)


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
    observe=observe,
    heal=_steps.make_heal(NS),
    settle=90,
)
