"""Pods have requested nearly all memory of every node without using it; another Pod requests more than the
rest.
"""

from typing import Any

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-booked-memory", "wants-memory"
LEFT_MIB = 512


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS))
    for node in lab.nodes:
        found: Any = lab.get(f"/api/v1/nodes/{node.name}")
        offered = int(found["status"]["allocatable"]["memory"].removesuffix("Ki")) // 1024
        booked = {"resources": {"requests": {"memory": f"{offered - LEFT_MIB}Mi"}}}
        name = f"books-{node.name}"
        lab.apply(
            _objects.make_pod(NS, name, container=booked, nodeSelector={"kubernetes.io/hostname": node.name})
        )
        _steps.wait_running(lab, NS, name)
    lab.apply(
        _objects.make_pod(NS, NAME, container={"resources": {"requests": {"memory": f"{4 * LEFT_MIB}Mi"}}})
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedScheduling", "Insufficient memory")


FAULT = Fault(
    name="booked-memory",
    summary="the memory that a Pod asks for is already requested on every node, though it is not used",
    scope="cluster",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.insufficient-memory",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    beside="discovery and memory",
)
