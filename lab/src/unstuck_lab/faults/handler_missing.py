"""A Pod names a RuntimeClass with a handler missing from every node's containerd."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-handler-missing", "wants-kata"
CLASS = "f-handler-missing"


def apply(lab: Lab) -> None:
    runtime_class = {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": CLASS},
        "handler": "kata",
    }
    lab.apply(_objects.make_namespace(NS), runtime_class)
    lab.apply(_objects.make_pod(NS, NAME, runtimeClassName=CLASS))


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedCreatePodSandBox", '"kata"')


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    _steps.delete(lab, f"/apis/node.k8s.io/v1/runtimeclasses/{CLASS}")


FAULT = Fault(
    name="handler-missing",
    summary="a Pod's RuntimeClass names a handler that the runtime does not have",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("runtime.handler-missing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
)
