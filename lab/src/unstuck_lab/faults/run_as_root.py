"""A container must not run as root, and its image names no other user."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-run-as-root", "not-as-root"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container={"securityContext": {"runAsNonRoot": True}}))


def held(lab: Lab) -> str | None:
    return _kit.waits_with(lab, NS, NAME, "CreateContainerConfigError", "run as root")


FAULT = Fault(
    name="run-as-root",
    summary="a container must not run as root, and its image does",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("security.run-as-non-root",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
    settle=90,
)
