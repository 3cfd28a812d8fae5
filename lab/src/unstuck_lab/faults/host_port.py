"""Two Pods request the same host port of one node."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME, NODE = "f-host-port", "wants-the-port", "lab-1"


def apply(lab: Lab) -> None:
    port = {"ports": [{"containerPort": 8080, "hostPort": 18080}]}
    first = _objects.make_pod(
        NS, "has-the-port", container=port, nodeSelector={"kubernetes.io/hostname": NODE}
    )
    lab.apply(_objects.make_namespace(NS), first)
    _steps.wait_running(lab, NS, "has-the-port")
    lab.apply(_objects.make_pod(NS, NAME, container=port, nodeSelector={"kubernetes.io/hostname": NODE}))


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedScheduling", "free ports")


FAULT = Fault(
    name="host-port",
    summary="another Pod holds the host port on the only node that a Pod selects",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.host-port-taken",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
