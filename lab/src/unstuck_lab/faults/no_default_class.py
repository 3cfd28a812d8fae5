"""A claim names no StorageClass, and none is the default; a Pod waits for the claim."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, CLAIM, POD = "f-no-default-class", "data", "wants-default"


def apply(lab: Lab) -> None:
    claim = _kit.claim(NS, CLAIM, "7Ti")
    lab.apply(_kit.namespace(NS), claim, _kit.with_claim(NS, POD, CLAIM))


def held(lab: Lab) -> str | None:
    return _kit.unbound(lab, NS, POD, CLAIM, "FailedBinding", "no storage class is set")


FAULT = Fault(
    name="no-default-class",
    summary="a claim without a class, and the Pod that uses it, wait in a cluster without a default class",
    scope="pod",
    subject=f"pvc/{CLAIM}",
    namespace=NS,
    accepts=("storage.no-default-class",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
    consequences=("storage.claim-unbound",),
    also=(f"pod/{POD}",),
)
