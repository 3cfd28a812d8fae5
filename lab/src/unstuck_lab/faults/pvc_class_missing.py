"""A claim names the StorageClass `fast`, which is not there; a Pod waits for the claim."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, CLAIM, POD = "f-pvc-class-missing", "data", "wants-data"


def apply(lab: Lab) -> None:
    claim = _kit.claim(NS, CLAIM, storageClassName="fast")
    lab.apply(_kit.namespace(NS), claim, _kit.with_claim(NS, POD, CLAIM))


def held(lab: Lab) -> str | None:
    return _kit.unbound(lab, NS, POD, CLAIM, "ProvisioningFailed", '"fast" not found')


FAULT = Fault(
    name="pvc-class-missing",
    summary="a claim, and the Pod that uses it, wait for a StorageClass that is not there",
    scope="pod",
    subject=f"pvc/{CLAIM}",
    namespace=NS,
    accepts=("storage.class-missing",),
    consequences=("storage.claim-unbound",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
    also=(f"pod/{POD}",),
)
