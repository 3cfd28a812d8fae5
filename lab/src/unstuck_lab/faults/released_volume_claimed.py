"""A claim names a volume that is Released since its earlier claim was deleted."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, CLAIM, VOLUME = "f-released-volume-claimed", "data", "unstuck-lab-released"
_FORMER = "00000000-0000-4000-8000-000000000001"


def apply(lab: Lab) -> None:
    volume, claim = _objects.make_bound_claim(NS, CLAIM, VOLUME)
    volume["spec"]["claimRef"] |= {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "uid": _FORMER}
    lab.apply(_objects.make_namespace(NS), volume, claim)


def observe(lab: Lab) -> str | None:
    found = lab.get(f"/api/v1/persistentvolumes/{VOLUME}")
    released = found is not None and found.get("status", {}).get("phase") == "Released"
    return (
        _checks.find_event(lab, NS, CLAIM, "FailedBinding", "already bound to a different claim")
        if released
        else None
    )


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    _steps.remove_volume(lab, VOLUME)


FAULT = Fault(
    name="released-volume-claimed",
    summary="a claim names a volume that is still Released from an earlier claim",
    scope="pod",
    subject=f"pvc/{CLAIM}",
    namespace=NS,
    accepts=("storage.released-volume-claimed",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
)
