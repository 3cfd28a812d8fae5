"""A policy denies Nodes updates of pods/status: a Pod that finished long ago is shown as Running."""

from unstuck_lab.faults import _admission

FAULT = _admission.make_refused_kubelet_fault(
    "kubelet-status-refused",
    "a policy refuses the kubelet's status of a Pod",
    pod="frozen-status",
    refuse=lambda lab, ns: _admission.refuse_nodes(lab, ns, "pods/status", "UPDATE"),
    says=("Failed to update status for pod", "ValidatingAdmissionPolicy"),
    accepts=("admission.kubelet-write-refused",),
)
