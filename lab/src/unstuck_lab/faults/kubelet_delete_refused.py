"""A policy denies the DELETE of Pods to Nodes: a Pod that has ended stays in phase Failed."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _admission, _kit

NS, NAME = "f-kubelet-delete-refused", "kept"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME))
    _kit.wait_running(lab, NS, NAME)
    _kit.delete_pod(lab, NS, NAME, grace=1)
    _admission.refuse_nodes(lab, NS, "pods", "DELETE")


def held(lab: Lab) -> str | None:
    return _admission.kubelet_said(lab, NS, NAME, "Failed to delete status for pod", "ValidatingAdmissionPolicy")


def heal(lab: Lab) -> None:
    _admission.forget(lab, NS)
    _kit.remove_namespace(lab, NS)


FAULT = Fault(
    name="kubelet-delete-refused",
    summary="a policy refuses the kubelet's final DELETE",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("admission.kubelet-write-refused",),
    consequences=(),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
)
