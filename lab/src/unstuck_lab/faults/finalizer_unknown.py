"""A Pod with a finalizer without a matching owner in the cluster."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-finalizer-unknown", "on-hold"


def apply(lab: Lab) -> None:
    pod = _objects.make_pod(NS, NAME)
    pod["metadata"]["finalizers"] = ["example.com/hold"]
    _steps.run(lab, pod)
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    pod = _checks.find_deleting_pod(lab, NS, NAME)
    # Grace 0: the kubelet has made its own last request.
    if pod and pod["metadata"].get("deletionGracePeriodSeconds") == 0:
        return f"finalizers {pod['metadata']['finalizers']}, phase {pod['status']['phase']}"
    return None


def heal(lab: Lab) -> None:
    _steps.clear_finalizers(lab, f"/api/v1/namespaces/{NS}/pods/{NAME}")
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="finalizer-unknown",
    summary="a Pod stays because of a finalizer with an unknown owner",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("finalizer.unknown-owner",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
)
