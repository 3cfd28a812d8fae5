"""A webhook must be called for every new Pod of a Namespace, and its Service does not exist."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _admission, _kit, _owned

NS = "f-pods-webhook-gone"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS))
    _admission.webhook(
        lab,
        NS,
        "team.example.com",
        "pods",
        {"service": {"namespace": NS, "name": "team", "path": "/"}},
        "CREATE",
    )
    lab.apply(_owned.deployment(NS), _owned.stateful_set(NS))


def heal(lab: Lab) -> None:
    _admission.forget(lab, NS)
    _kit.remove_namespace(lab, NS)


FAULT = Fault(
    name="pods-webhook-gone",
    summary="the Pods of a Deployment wait for a webhook that nobody answers for",
    scope="pod",
    subject="deployment/web",
    namespace=NS,
    accepts=("admission.webhook-unreachable",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=_owned.refusal(NS, "failed calling webhook"),
    heal=heal,
    also=(f"statefulset/{_owned.DB}",),
)
