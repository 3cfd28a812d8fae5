"""A public repository does not have the tag that the Pod names."""

from unstuck_lab.faults import _registry

FAULT = _registry.make_fault(
    "pull-no-tag",
    "a registry has other tags of the image than the Pod's",
    has="open",
    port=5709,
    says="not found",
    accepts="image.not-found",
    tag="1.25.9",
)
