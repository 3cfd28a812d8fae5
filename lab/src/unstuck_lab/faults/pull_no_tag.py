"""A registry that is open to everyone has other tags than the one that the Pod names."""

from unstuck_lab.faults import _registry

FAULT = _registry.fault(
    "pull-no-tag",
    "a registry has other tags of the image than the Pod's",
    has="open",
    port=5709,
    says="not found",
    accepts="image.not-found",
    tag="1.25.9",
)
