"""A registry requires credentials, and the Pod names no pull Secret."""

from unstuck_lab.faults import _registry

FAULT = _registry.make_fault(
    "pull-without-credentials",
    "a registry wants credentials and the Pod names no pull Secret",
    has="closed",
    port=5701,
    says="401 Unauthorized",
    accepts="image.credentials-missing",
    # The Node's own credentials, if any, are unknown.
    answer="likely",
)
