"""A registry requires credentials, and the Pod's pull Secret has a wrong password."""

from unstuck_lab.faults import _registry

FAULT = _registry.make_fault(
    "pull-credentials-rejected",
    "a registry refuses the password of the Pod's pull Secret",
    has="closed",
    port=5703,
    says="401 Unauthorized",
    accepts="image.credentials-rejected",
    answer="likely",
    secret=lambda host: {host: _registry.make_entry("wrong")},
)
