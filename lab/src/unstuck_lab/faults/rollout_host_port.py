"""A rollout of one replica on one node: the old Pod holds the new one's host port."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _owned, _rollout, _steps

NS = "f-rollout-host-port"


def apply(lab: Lab) -> None:
    port = {"ports": [{"containerPort": 8080, "hostPort": 18081}]}
    where = {"kubernetes.io/hostname": lab.nodes[0].name}
    _rollout.roll_out(lab, _owned.make_deployment(NS, replicas=1, container=port, nodeSelector=where))


FAULT = Fault(
    name="rollout-host-port",
    summary="a rollout waits for itself: the old Pod holds the host port",
    scope="pod",
    subject="deployment/web",
    namespace=NS,
    accepts=("controller.rollout-deadlock",),
    consequences=("scheduling.host-port-taken",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=_rollout.make_refusal_check(NS, "free ports"),
    heal=_steps.make_heal(NS),
    settle=90,
)
