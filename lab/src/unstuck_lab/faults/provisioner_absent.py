"""A claim's StorageClass names a provisioner that is not running."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, CLAIM, POD, CLASS = "f-provisioner-absent", "data", "wants-shelf", "unstuck-lab-shelf"
# The time allowed for a provisioner's start.
_PATIENCE = 65


def apply(lab: Lab) -> None:
    shelf = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": CLASS},
        "provisioner": "shelf.example.com/absent",
    }
    claim = _objects.make_claim(NS, CLAIM, storageClassName=CLASS)
    lab.apply(_objects.make_namespace(NS), shelf, claim, _objects.make_pod_with_claim(NS, POD, CLAIM))


def observe(lab: Lab) -> str | None:
    found = lab.get(f"/api/v1/namespaces/{NS}/persistentvolumeclaims/{CLAIM}")
    if found is None or _checks.measure_age(found["metadata"]["creationTimestamp"]) < _PATIENCE:
        return None
    return _checks.find_event(lab, NS, CLAIM, "ExternalProvisioning", "shelf.example.com/absent")


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    _steps.delete(lab, f"/apis/storage.k8s.io/v1/storageclasses/{CLASS}")


FAULT = Fault(
    name="provisioner-absent",
    summary="a claim, and the Pod that uses it, wait for a provisioner that does not run",
    scope="pod",
    subject=f"pvc/{CLAIM}",
    namespace=NS,
    accepts=("storage.provisioner-absent",),
    with_node="likely",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
    consequences=("storage.claim-unbound",),
    settle=120,
    at_most="likely",
    also=(f"pod/{POD}",),
)
