"""The port of a Pod that a Service's port leads to."""

from __future__ import annotations

from unstuck.facts.aspects.services import Behind, ServicePort


def find_target_port(port: ServicePort, server: Behind) -> int:
    """Return the number of the Pod's port, 0 if no container declares a port of that name."""
    return int(port.target) if port.target.isdecimal() else dict(server.ports).get(port.target, 0)
