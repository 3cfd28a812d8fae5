"""A webhook must be called for every new Pod of a Namespace, and its Service does not exist."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _admission, _objects, _owned, _steps

NS = "f-pods-webhook-gone"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS))
    _admission.install_webhook(
        lab,
        NS,
        "team.example.com",
        "pods",
        {"service": {"namespace": NS, "name": "team", "path": "/"}},
        "CREATE",
    )
    lab.apply(_owned.make_deployment(NS), _owned.make_stateful_set(NS))


def heal(lab: Lab) -> None:
    _admission.forget(lab, NS)
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="pods-webhook-gone",
    summary="the Pods of a Deployment wait for a webhook without a backend",
    scope="pod",
    subject="deployment/web",
    namespace=NS,
    accepts=("admission.webhook-unreachable",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=_owned.make_refusal_check(NS, "failed calling webhook"),
    heal=heal,
    also=(f"statefulset/{_owned.DB}",),
)
