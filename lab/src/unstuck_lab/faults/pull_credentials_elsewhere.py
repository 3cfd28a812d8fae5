"""A registry asks who pulls, and the entry of the Pod's pull Secret is for the same host without its port."""

from unstuck_lab import registry
from unstuck_lab.faults import _registry

FAULT = _registry.fault(
    "pull-credentials-elsewhere",
    "a registry wants credentials and the Pod's pull Secret is for another server",
    has="closed",
    port=5702,
    says="401 Unauthorized",
    accepts="image.credentials-missing",
    # What the Node itself may have offered, nobody tells.
    answer="likely",
    secret=lambda host: {host.partition(":")[0]: _registry.entry(registry.PASSWORD)},
)
