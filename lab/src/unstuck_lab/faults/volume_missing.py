"""The PersistentVolume of a claim is deleted, with its finalizer; a Pod needs the claim."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, CLAIM, POD = "f-volume-missing", "data", "wants-its-data"
_VOLUME = f"/api/v1/persistentvolumes/{NS}"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS), *_objects.make_bound_claim(NS, CLAIM, NS))
    lab.wait(
        lambda: _checks.read_claim_phase(lab, NS, CLAIM) == "Bound", 30, f"binding of claim {NS}/{CLAIM}"
    )
    _steps.delete(lab, _VOLUME)
    _steps.clear_finalizers(lab, _VOLUME)
    lab.apply(_objects.make_pod_with_claim(NS, POD, CLAIM))


def observe(lab: Lab) -> str | None:
    gone = lab.get(_VOLUME) is None and _checks.read_claim_phase(lab, NS, CLAIM) == "Lost"
    return _checks.find_event(lab, NS, POD, "FailedScheduling") if gone else None


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    _steps.remove_volume(lab, NS)


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
    observe=observe,
    heal=heal,
    also=(f"pod/{POD}",),
)
