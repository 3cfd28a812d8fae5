"""A claim names no StorageClass, and none is the default; a Pod waits for the claim."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, CLAIM, POD = "f-no-default-class", "data", "wants-default"


def apply(lab: Lab) -> None:
    claim = _objects.make_claim(NS, CLAIM, "7Ti")
    lab.apply(_objects.make_namespace(NS), claim, _objects.make_pod_with_claim(NS, POD, CLAIM))


def observe(lab: Lab) -> str | None:
    return _checks.find_unbound_claim(lab, NS, POD, CLAIM, "FailedBinding", "no storage class is set")


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
    observe=observe,
    heal=_steps.make_heal(NS),
    consequences=("storage.claim-unbound",),
    also=(f"pod/{POD}",),
)
