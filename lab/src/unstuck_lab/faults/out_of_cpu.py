"""A manually bound Pod requests more CPU than its Node has; the kubelet rejects it permanently."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-out-of-cpu", "forced-there"


def apply(lab: Lab) -> None:
    container = {"resources": {"requests": {"cpu": "4000"}}}
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, container=container, nodeName=lab.nodes[0].name),
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_failure_message(lab, NS, NAME, "OutOfcpu")


FAULT = Fault(
    name="out-of-cpu",
    summary="the kubelet rejects a Pod that bypassed the scheduler",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("kubelet.rejected-after-binding",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    settle=90,
)
