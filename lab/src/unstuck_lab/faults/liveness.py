"""A liveness probe that always fails ends a container that is well."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-liveness", "restless"


def apply(lab: Lab) -> None:
    # Slowly: the kubelet drops the Events of a Pod beyond 25, and these restarts cost it six each.
    probe = {"exec": {"command": ["false"]}, "initialDelaySeconds": 40, "periodSeconds": 2, "failureThreshold": 2}
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container={"livenessProbe": probe}))


def held(lab: Lab) -> str | None:
    if _kit.restarts(lab, NS, NAME) < 1:
        return None
    return _kit.event(lab, NS, NAME, "Killing", "failed liveness probe")


FAULT = Fault(
    name="liveness",
    summary="a liveness probe ends a container again and again",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.killed-by-liveness",),
    consequences=(),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
    settle=120,
)
