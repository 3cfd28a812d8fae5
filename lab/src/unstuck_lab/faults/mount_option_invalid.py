"""A volume asks for mount options that its kind does not support, so the kubelet refuses to mount it."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-mount-option-invalid", "asks-for-noatime"
CLAIM, VOLUME = "data", "f-mount-option-invalid"


def apply(lab: Lab) -> None:
    volume, claim = _objects.make_bound_claim(NS, CLAIM, VOLUME)
    options = {"mountOptions": ["noatime"]}
    lab.apply(_objects.make_namespace(NS), volume | {"spec": volume["spec"] | options}, claim)
    lab.apply(_objects.make_pod_with_claim(NS, NAME, CLAIM))


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedMount", "ount options are not supported")


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    _steps.remove_volume(lab, VOLUME)


FAULT = Fault(
    name="mount-option-invalid",
    summary="a volume has mount options that its type does not support",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("volume.mount-option-invalid",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
)
