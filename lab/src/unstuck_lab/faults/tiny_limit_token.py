"""A memory limit of `64`, meant as MiB, also sizes the tmpfs of the Pod's token: 64 bytes.

The kubelet cannot write the token (`no space left on device`) and does not even try to create the container.
A Pod with default settings fails in this way.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-tiny-limit-token", "sixty-four"


def apply(lab: Lab) -> None:
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, container={"resources": {"limits": {"memory": "64"}}}),
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedMount", "no space left on device")


FAULT = Fault(
    name="tiny-limit-token",
    summary="a memory limit without a unit leaves no room for the Pod's token",
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
