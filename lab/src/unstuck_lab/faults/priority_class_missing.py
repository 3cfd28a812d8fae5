"""The Pods name a PriorityClass that this cluster does not have."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _owned, _steps

NS = "f-priority-class-missing"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS))
    lab.apply(
        _owned.make_deployment(NS, priorityClassName="urgent"),
        _owned.make_stateful_set(NS, priorityClassName="urgent"),
    )


FAULT = Fault(
    name="priority-class-missing",
    summary="the Pods name a PriorityClass that does not exist",
    scope="pod",
    subject="deployment/web",
    namespace=NS,
    accepts=("admission.priority-class-missing",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=_owned.make_refusal_check(NS, "no PriorityClass"),
    heal=_steps.make_heal(NS),
    also=(f"statefulset/{_owned.DB}",),
)
