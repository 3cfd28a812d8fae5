"""A Pod names a ResourceClaim that does not exist."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _steps

NS, NAME = "f-resource-claim-missing", "wants-a-device"


def apply(lab: Lab) -> None:
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu"}]),
    )


def observe(lab: Lab) -> str | None:
    """Return a sentence once the Pod waits without any message; else None."""
    found = lab.get_pod(NS, NAME)
    waits = (
        found is not None and found["status"].get("phase") == "Pending" and "nodeName" not in found["spec"]
    )
    return (
        "Pending, without a condition" if waits and found and not found["status"].get("conditions") else None
    )


FAULT = Fault(
    name="resource-claim-missing",
    summary="a Pod names a ResourceClaim that does not exist, and no message says so",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.claim-missing",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    since=34,
)
