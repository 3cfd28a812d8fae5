"""A Pod writes more into an emptyDir than its limit, and the kubelet evicts it."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-evicted", "writer"


def apply(lab: Lab) -> None:
    script = "head -c 2097152 /dev/zero > /scratch/x; trap 'exit 1' TERM; while :; do sleep 1; done"
    volume = {"name": "scratch", "emptyDir": {"sizeLimit": "1Mi"}}
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod_with_volume(NS, NAME, volume, container={"command": ["sh", "-c", script]}),
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_failure_message(lab, NS, NAME, "Evicted")


FAULT = Fault(
    name="evicted",
    summary="a Pod is evicted because it wrote more than its limit",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.evicted",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    settle=180,
)
