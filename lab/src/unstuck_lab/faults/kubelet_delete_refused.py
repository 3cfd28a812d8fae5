"""A policy denies Nodes the DELETE of Pods: a finished Pod stays in phase Failed."""

from unstuck_lab.faults import _admission

FAULT = _admission.make_refused_kubelet_fault(
    "kubelet-delete-refused",
    "a policy refuses the kubelet's final DELETE",
    pod="kept",
    refuse=lambda lab, ns: _admission.refuse_nodes(lab, ns, "pods", "DELETE"),
    says=("Failed to delete status for pod", "ValidatingAdmissionPolicy"),
    accepts=("admission.kubelet-write-refused",),
)
