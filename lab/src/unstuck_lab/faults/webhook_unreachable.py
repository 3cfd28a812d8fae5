"""A webhook on the DELETE of Pods has no Service: the kubelet cannot delete a Pod that has ended."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _admission, _kit

NS, NAME = "f-webhook-unreachable", "guarded"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME))
    _kit.wait_running(lab, NS, NAME)
    _kit.delete_pod(lab, NS, NAME, grace=1)
    _admission.dead_webhook(lab, NS)


def held(lab: Lab) -> str | None:
    return _admission.kubelet_said(lab, NS, NAME, "Failed to delete status for pod", "failed calling webhook")


def heal(lab: Lab) -> None:
    _admission.forget(lab, NS)
    _kit.remove_namespace(lab, NS)


FAULT = Fault(
    name="webhook-unreachable",
    summary="a webhook that nobody answers refuses the kubelet's final DELETE",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("admission.webhook-unreachable",),
    consequences=(),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
)
