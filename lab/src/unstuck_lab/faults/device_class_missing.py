"""A Pod's ResourceClaim names a DeviceClass that does not exist."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-device-class-missing", "wants-a-device"


def apply(lab: Lab) -> None:
    request = {"name": "one", "exactly": {"deviceClassName": "gpu.example.com"}}
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "gpu", "namespace": NS},
        "spec": {"devices": {"requests": [request]}},
    }
    lab.apply(
        _objects.make_namespace(NS),
        claim,
        _objects.make_pod(NS, NAME, resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu"}]),
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedScheduling", "does not exist")


FAULT = Fault(
    name="device-class-missing",
    summary="the DeviceClass that a Pod's ResourceClaim names does not exist",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.dynamic-resource-unavailable",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    since=34,
)
