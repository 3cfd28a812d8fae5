"""A Pod that requests more of one resource than any Node offers."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps


def make_oversized_fault(name: str, pod: str, resource: str, amount: str, accepts: str, what: str) -> Fault:
    """Return the fault of a Pod that requests `amount` of `resource`. what: the resource's name in the
    summary.
    """
    ns = f"f-{name}"
    # An extended resource requires an equal limit; other resources allow one.
    resources = {"requests": {resource: amount}, "limits": {resource: amount}}

    def apply(lab: Lab) -> None:
        lab.apply(_objects.make_namespace(ns), _objects.make_pod(ns, pod, container={"resources": resources}))

    return Fault(
        name=name,
        summary=f"a Pod asks for more {what} than any node has",
        scope="pod",
        subject=f"pod/{pod}",
        namespace=ns,
        accepts=(accepts,),
        with_node="proven",
        without_node="likely",
        needs_node_access=False,
        apply=apply,
        observe=lambda lab: _checks.find_event(lab, ns, pod, "FailedScheduling", f"Insufficient {resource}"),
        heal=_steps.make_heal(ns),
    )
