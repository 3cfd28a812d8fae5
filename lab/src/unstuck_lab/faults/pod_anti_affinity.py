"""A Pod has an anti-affinity to a Pod on the only node that it selects."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME, NODE = "f-pod-anti-affinity", "came-second", "lab-1"


def apply(lab: Lab) -> None:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": NS}}}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    pods = [
        _objects.make_pod(NS, name, affinity=affinity, nodeSelector={"kubernetes.io/hostname": NODE})
        for name in ("came-first", NAME)
    ]
    for pod in pods:
        pod["metadata"]["labels"] = {"app": NS}
    lab.apply(_objects.make_namespace(NS), pods[0])
    _steps.wait_running(lab, NS, "came-first")
    lab.apply(pods[1])


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedScheduling", "anti-affinity rules")


FAULT = Fault(
    name="pod-anti-affinity",
    summary="a Pod has an anti-affinity to one on the only node that it selects",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.pod-anti-affinity-conflict",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
