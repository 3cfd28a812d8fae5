"""The PersistentVolume of a claim is deleted, with its finalizer; a Pod needs the claim."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, CLAIM, POD = "f-volume-missing", "data", "wants-its-data"
_VOLUME = f"/api/v1/persistentvolumes/{NS}"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), *_kit.bound_claim(NS, CLAIM, NS))
    lab.wait(lambda: _kit.claim_phase(lab, NS, CLAIM) == "Bound", 30, f"binding of claim {NS}/{CLAIM}")
    _kit.delete(lab, _VOLUME)
    _kit.clear_finalizers(lab, _VOLUME)
    lab.apply(_kit.with_claim(NS, POD, CLAIM))


def held(lab: Lab) -> str | None:
    gone = lab.get(_VOLUME) is None and _kit.claim_phase(lab, NS, CLAIM) == "Lost"
    return _kit.event(lab, NS, POD, "FailedScheduling") if gone else None


def heal(lab: Lab) -> None:
    _kit.remove_namespace(lab, NS)
    _kit.remove_volume(lab, NS)


FAULT = Fault(
    name="volume-missing",
    summary="the volume of a claim that a Pod uses was deleted",
    scope="pod",
    subject=f"pvc/{CLAIM}",
    namespace=NS,
    accepts=("storage.volume-missing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=heal,
    also=(f"pod/{POD}",),
)
