"""A released volume has to be deleted, and no plugin can delete its type."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _steps

VOLUME = "unstuck-lab-undeletable"
_FORMER = "00000000-0000-4000-8000-000000000002"


def apply(lab: Lab) -> None:
    volume, _ = _objects.make_bound_claim("default", "unstuck-lab-gone", VOLUME)
    volume["spec"]["claimRef"] |= {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "uid": _FORMER}
    del volume["spec"]["hostPath"]
    volume["spec"] |= {
        "persistentVolumeReclaimPolicy": "Delete",
        "nfs": {"server": "192.0.2.1", "path": "/x"},
    }
    lab.apply(volume)


def observe(lab: Lab) -> str | None:
    status = (lab.get(f"/api/v1/persistentvolumes/{VOLUME}") or {}).get("status", {})
    return f"Failed: {status.get('message', '')}" if status.get("phase") == "Failed" else None


def heal(lab: Lab) -> None:
    _steps.delete(lab, f"/api/v1/persistentvolumes/{VOLUME}")


FAULT = Fault(
    name="volume-delete-failed",
    summary="a released volume cannot be deleted",
    scope="pod",
    subject=f"pv/{VOLUME}",
    namespace=None,
    accepts=("storage.volume-delete-failed",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
)
