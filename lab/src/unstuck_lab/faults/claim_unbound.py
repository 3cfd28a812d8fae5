"""A claim waits for its first Pod, and the one volume of its class is too small for it."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, CLAIM, NAME, CLASS = "f-claim-unbound", "data", "wants-room", "unstuck-lab-by-hand"


def apply(lab: Lab) -> None:
    by_hand = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": CLASS},
        "provisioner": "kubernetes.io/no-provisioner",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    small = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": NS},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"},
            "storageClassName": CLASS,
            "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": {"path": f"/run/{NS}", "type": "DirectoryOrCreate"},
        },
    }
    claim = _objects.make_claim(NS, CLAIM, "5Gi", storageClassName=CLASS)
    lab.apply(
        _objects.make_namespace(NS), by_hand, small, claim, _objects.make_pod_with_claim(NS, NAME, CLAIM)
    )


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    _steps.remove_volume(lab, NS)
    _steps.delete(lab, f"/apis/storage.k8s.io/v1/storageclasses/{CLASS}")


FAULT = Fault(
    name="claim-unbound",
    summary="no volume of its class is large enough for the claim of a Pod",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("storage.claim-unbound",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=lambda lab: _checks.find_event(
        lab, NS, NAME, "FailedScheduling", "find available persistent volumes to bind"
    ),
    heal=heal,
)
