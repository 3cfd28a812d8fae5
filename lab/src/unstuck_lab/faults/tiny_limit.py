"""A memory limit of `64`, meant as MiB, is 64 bytes: the container cannot even be created."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-tiny-limit", "sixty-four"


def apply(lab: Lab) -> None:
    container = {"resources": {"limits": {"memory": "64"}}}
    # With a token the Pod does not come so far: see tiny-limit-token.
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container=container, automountServiceAccountToken=False))


def held(lab: Lab) -> str | None:
    return _kit.unmade(lab, NS, NAME)


FAULT = Fault(
    name="tiny-limit",
    summary="a memory limit without a unit is a handful of bytes",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("resources.memory-unit-wrong",),
    consequences=("resources.memory-limit-too-low",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
)
