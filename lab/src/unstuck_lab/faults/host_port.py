"""Two Pods want one port of one node."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME, NODE = "f-host-port", "wants-the-port", "lab-1"


def apply(lab: Lab) -> None:
    port = {"ports": [{"containerPort": 8080, "hostPort": 18080}]}
    first = _kit.pod(NS, "has-the-port", container=port, nodeSelector={"kubernetes.io/hostname": NODE})
    lab.apply(_kit.namespace(NS), first)
    _kit.wait_running(lab, NS, "has-the-port")
    lab.apply(_kit.pod(NS, NAME, container=port, nodeSelector={"kubernetes.io/hostname": NODE}))


def held(lab: Lab) -> str | None:
    return _kit.event(lab, NS, NAME, "FailedScheduling", "free ports")


FAULT = Fault(
    name="host-port",
    summary="another Pod holds the host port on the one node that a Pod chooses",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.host-port-taken",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
)
