"""A probe that ends a container repeatedly."""

from typing import Any

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _checks


def make_ending_probe(check: dict[str, Any]) -> dict[str, Any]:
    """Return the probe that asks `check` and ends the container some 24 s after each start.

    Slowly: the kubelet drops the Events of a Pod beyond 25, and these restarts cost it six each.
    """
    return {**check, "initialDelaySeconds": 20, "periodSeconds": 2, "failureThreshold": 2}


def find_second_end(lab: Lab, ns: str, pod: str, reason: str, said: str) -> str | None:
    """Return the Event that says so, once the container was ended twice: after the first time it looks
    well until it is ended again.
    """
    return (
        _checks.find_event(lab, ns, pod, reason, said) if _checks.count_restarts(lab, ns, pod) >= 2 else None
    )
