"""A rollout of one replica per node, with an anti-affinity: no node is left for a new Pod."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _owned, _rollout, _steps

NS = "f-rollout-anti-affinity"


def apply(lab: Lab) -> None:
    term = {"labelSelector": {"matchLabels": {"app": _owned.WEB}}, "topologyKey": "kubernetes.io/hostname"}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    keep = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    _rollout.roll_out(lab, _owned.make_deployment(NS, replicas=len(lab.nodes), strategy=keep, affinity=apart))


FAULT = Fault(
    name="rollout-anti-affinity",
    summary="a rollout waits for itself: its Pods have an anti-affinity, and every node has an old one",
    scope="pod",
    subject="deployment/web",
    namespace=NS,
    accepts=("controller.rollout-deadlock",),
    consequences=("scheduling.pod-anti-affinity-conflict",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=_rollout.make_refusal_check(NS, "anti-affinity rules"),
    heal=_steps.make_heal(NS),
    settle=90,
)
