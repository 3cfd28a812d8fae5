"""A LimitRange allows 64 MiB per container, and the Pods request 256."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _owned, _steps

NS = "f-limit-range"


def apply(lab: Lab) -> None:
    limits = {"limits": [{"type": "Container", "max": {"memory": "64Mi"}}]}
    limit_range = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "sizes", "namespace": NS},
        "spec": limits,
    }
    lab.apply(_objects.make_namespace(NS), limit_range)
    asks = {"resources": {"limits": {"memory": "256Mi"}}}
    lab.apply(_owned.make_deployment(NS, container=asks), _owned.make_stateful_set(NS, container=asks))


FAULT = Fault(
    name="limit-range",
    summary="the Pods ask for more memory than a LimitRange allows",
    scope="pod",
    subject="deployment/web",
    namespace=NS,
    accepts=("admission.limit-range",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=_owned.make_refusal_check(NS, "maximum memory usage"),
    heal=_steps.make_heal(NS),
    also=(f"statefulset/{_owned.DB}",),
)
