"""A registry has the image only for another platform."""

from unstuck_lab.faults import _registry

FAULT = _registry.make_fault(
    "pull-no-platform",
    "an image is there for another platform alone",
    has="platform",
    port=5708,
    says="no match for platform",
    accepts="image.platform-missing",
)
