"""A Pod has an affinity to a Pod that does not run."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-pod-affinity", "wants-a-neighbour"


def apply(lab: Lab) -> None:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "cache"}}}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, affinity=affinity))


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedScheduling", "pod affinity rules")


FAULT = Fault(
    name="pod-affinity",
    summary="a Pod has an affinity to one that does not run",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.pod-affinity-unsatisfied",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
