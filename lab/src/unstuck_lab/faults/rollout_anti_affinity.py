"""A rollout of as many replicas as there are nodes, which must be apart: no node is left for a new Pod."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit, _owned, _rollout

NS = "f-rollout-anti-affinity"


def apply(lab: Lab) -> None:
    term = {"labelSelector": {"matchLabels": {"app": _owned.WEB}}, "topologyKey": "kubernetes.io/hostname"}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    keep = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    _rollout.roll(lab, _owned.deployment(NS, replicas=len(lab.nodes), strategy=keep, affinity=apart))


FAULT = Fault(
    name="rollout-anti-affinity",
    summary="a rollout waits for itself: its Pods must be apart, and every node has an old one",
    scope="pod",
    subject="deployment/web",
    namespace=NS,
    accepts=("controller.rollout-deadlock",),
    consequences=("scheduling.pod-anti-affinity-conflict",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=_rollout.refused(NS, "anti-affinity rules"),
    heal=_kit.removing(NS),
    settle=90,
)
