"""A Pod writes more into an emptyDir than its limit, and its kubelet ends it."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-evicted", "writer"


def apply(lab: Lab) -> None:
    script = "head -c 2097152 /dev/zero > /scratch/x; trap 'exit 1' TERM; while :; do sleep 1; done"
    volume = {"name": "scratch", "emptyDir": {"sizeLimit": "1Mi"}}
    lab.apply(
        _kit.namespace(NS), _kit.with_volume(NS, NAME, volume, container={"command": ["sh", "-c", script]})
    )


def held(lab: Lab) -> str | None:
    return _kit.failed_with(lab, NS, NAME, "Evicted")


FAULT = Fault(
    name="evicted",
    summary="a Pod is evicted for what it has written",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.evicted",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
    settle=180,
)
