"""A Pod that was bound by hand asks its Node for more CPU than it has; the kubelet refuses it for good."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-out-of-cpu", "forced-there"


def apply(lab: Lab) -> None:
    container = {"resources": {"requests": {"cpu": "4000"}}}
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container=container, nodeName=lab.nodes[0].name))


def held(lab: Lab) -> str | None:
    return _kit.failed_with(lab, NS, NAME, "OutOfcpu")


FAULT = Fault(
    name="out-of-cpu",
    summary="the kubelet refuses a Pod that went past the scheduler",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("kubelet.rejected-after-binding",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
    settle=90,
)
