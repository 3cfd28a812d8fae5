"""A claim names the StorageClass `fast`, which does not exist; a Pod waits for the claim."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, CLAIM, POD = "f-pvc-class-missing", "data", "wants-data"


def apply(lab: Lab) -> None:
    claim = _objects.make_claim(NS, CLAIM, storageClassName="fast")
    lab.apply(_objects.make_namespace(NS), claim, _objects.make_pod_with_claim(NS, POD, CLAIM))


def observe(lab: Lab) -> str | None:
    return _checks.find_unbound_claim(lab, NS, POD, CLAIM, "ProvisioningFailed", '"fast" not found')


FAULT = Fault(
    name="pvc-class-missing",
    summary="a claim, and the Pod that uses it, wait for a StorageClass that does not exist",
    scope="pod",
    subject=f"pvc/{CLAIM}",
    namespace=NS,
    accepts=("storage.class-missing",),
    consequences=("storage.claim-unbound",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    also=(f"pod/{POD}",),
)
