"""A webhook on the DELETE of Pods has no Service: the kubelet cannot delete a finished Pod."""

from unstuck_lab.faults import _admission

FAULT = _admission.make_refused_kubelet_fault(
    "webhook-unreachable",
    "a webhook that nobody answers refuses the kubelet's final DELETE",
    pod="guarded",
    refuse=_admission.install_dead_webhook,
    says=("Failed to delete status for pod", "failed calling webhook"),
    accepts=("admission.webhook-unreachable",),
)
