"""A registry requires credentials, and the entry of the Pod's pull Secret is for the same host without its
port.
"""

from unstuck_lab import registry
from unstuck_lab.faults import _registry

FAULT = _registry.make_fault(
    "pull-credentials-elsewhere",
    "a registry wants credentials and the Pod's pull Secret is for another server",
    has="closed",
    port=5702,
    says="401 Unauthorized",
    accepts="image.credentials-missing",
    # The Node's own credentials, if any, are unknown.
    answer="likely",
    secret=lambda host: {host.partition(":")[0]: _registry.make_entry(registry.PASSWORD)},
)
