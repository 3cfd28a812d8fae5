"""A liveness probe that always fails kills a healthy container."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _probes, _steps

NS, NAME = "f-liveness", "restless"


def apply(lab: Lab) -> None:
    probe = _probes.make_ending_probe({"exec": {"command": ["false"]}})
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, container={"livenessProbe": probe}, terminationGracePeriodSeconds=1),
    )


FAULT = Fault(
    name="liveness",
    summary="a liveness probe keeps killing a container",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.killed-by-liveness",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=lambda lab: _probes.find_second_end(lab, NS, NAME, "Killing", "failed liveness probe"),
    heal=_steps.make_heal(NS),
    settle=180,
)
