"""A probe that kills a container repeatedly."""

from typing import Any

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _checks


def make_ending_probe(check: dict[str, Any]) -> dict[str, Any]:
    """Return a probe of `check` that kills the container about 24 s after each start.

    It is slow because the kubelet drops a Pod's Events beyond 25, and each restart adds six.
    """
    return {**check, "initialDelaySeconds": 20, "periodSeconds": 2, "failureThreshold": 2}


def find_second_end(lab: Lab, ns: str, pod: str, reason: str, said: str) -> str | None:
    """Return the Event about the second kill of the container: after the first it looks healthy until the
    next.
    """
    return (
        _checks.find_event(lab, ns, pod, reason, said) if _checks.count_restarts(lab, ns, pod) >= 2 else None
    )
