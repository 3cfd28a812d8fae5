"""A registry answers 429 to everything."""

from unstuck_lab.faults import _registry

FAULT = _registry.make_fault(
    "pull-limited",
    "a registry refuses a pull because there were too many",
    has="limited",
    port=5706,
    says="429 Too Many Requests",
    accepts="image.rate-limited",
)
