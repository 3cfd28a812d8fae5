"""A memory limit of `64`, meant as MiB, is 64 bytes: the container cannot even be created."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-tiny-limit", "sixty-four"


def apply(lab: Lab) -> None:
    container = {"resources": {"limits": {"memory": "64"}}}
    # With a token the Pod does not get this far: see tiny-limit-token.
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, container=container, automountServiceAccountToken=False),
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_creation_failure(lab, NS, NAME)


FAULT = Fault(
    name="tiny-limit",
    summary="a memory limit without a unit is only a few bytes",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("resources.memory-unit-wrong",),
    consequences=("resources.memory-limit-too-low",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
