"""A working webhook denies every new Pod of a Namespace."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _admission, _guard, _objects, _owned, _steps

NS, GUARD = "f-pods-denied", "f-pods-denied-guard"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS))
    _admission.install_webhook(lab, NS, "team.example.com", "pods", _guard.install(lab, GUARD), "CREATE")
    lab.apply(_owned.make_deployment(NS), _owned.make_stateful_set(NS))


def heal(lab: Lab) -> None:
    _admission.forget(lab, NS)
    _steps.remove_namespace(lab, NS)
    _steps.remove_namespace(lab, GUARD)


FAULT = Fault(
    name="pods-denied",
    summary="a webhook denies the Pods of a Deployment and a StatefulSet",
    scope="pod",
    subject="deployment/web",
    namespace=NS,
    accepts=("admission.webhook-denies",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=_owned.make_refusal_check(NS, "denied the request"),
    heal=heal,
    also=(f"statefulset/{_owned.DB}",),
)
