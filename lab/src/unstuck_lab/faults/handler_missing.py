"""A Pod names a RuntimeClass whose handler no node's containerd has."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-handler-missing", "wants-kata"
CLASS = "f-handler-missing"


def apply(lab: Lab) -> None:
    runtime_class = {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": CLASS},
        "handler": "kata",
    }
    lab.apply(_kit.namespace(NS), runtime_class)
    lab.apply(_kit.pod(NS, NAME, runtimeClassName=CLASS))


def held(lab: Lab) -> str | None:
    return _kit.event(lab, NS, NAME, "FailedCreatePodSandBox", '"kata"')


def heal(lab: Lab) -> None:
    _kit.remove_namespace(lab, NS)
    _kit.delete(lab, f"/apis/node.k8s.io/v1/runtimeclasses/{CLASS}")


FAULT = Fault(
    name="handler-missing",
    summary="a Pod's RuntimeClass names a handler that the runtime has not",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("runtime.handler-missing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=heal,
    settle=90,
)
