"""A registry without TLS that the runtime contacts over TLS, because it is not on loopback."""

from unstuck_lab.faults import _registry

FAULT = _registry.make_fault(
    "pull-plain-http",
    "a registry speaks plain HTTP and the runtime speaks TLS to it",
    has="plain",
    port=5705,
    says="HTTP response to HTTPS client",
    accepts="image.plain-http",
    loopback=False,
)
