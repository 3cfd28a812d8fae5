"""A startup probe that never succeeds ends a container repeatedly."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit, _probes

NS, NAME = "f-startup-probe", "slow-starter"


def apply(lab: Lab) -> None:
    probe = _probes.ending({"exec": {"command": ["false"]}})
    lab.apply(
        _kit.namespace(NS),
        _kit.pod(NS, NAME, container={"startupProbe": probe}, terminationGracePeriodSeconds=1),
    )


FAULT = Fault(
    name="startup-probe",
    summary="a startup probe that never succeeds ends a container again and again",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.killed-by-startup-probe",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=lambda lab: _probes.ended_twice(lab, NS, NAME, "Killing", "failed startup probe"),
    heal=_kit.removing(NS),
    settle=180,
)
