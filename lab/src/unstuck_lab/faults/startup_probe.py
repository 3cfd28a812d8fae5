"""A startup probe that never succeeds kills a container repeatedly."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _probes, _steps

NS, NAME = "f-startup-probe", "slow-starter"


def apply(lab: Lab) -> None:
    probe = _probes.make_ending_probe({"exec": {"command": ["false"]}})
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, container={"startupProbe": probe}, terminationGracePeriodSeconds=1),
    )


FAULT = Fault(
    name="startup-probe",
    summary="a startup probe that never succeeds keeps killing a container",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.killed-by-startup-probe",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=lambda lab: _probes.find_second_end(lab, NS, NAME, "Killing", "failed startup probe"),
    heal=_steps.make_heal(NS),
    settle=180,
)
