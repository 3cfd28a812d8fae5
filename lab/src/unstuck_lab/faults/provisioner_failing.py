"""A claim's StorageClass names a volume plugin removed from this Kubernetes: the controller cannot create a
volume.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, CLAIM, POD, CLASS = "f-provisioner-failing", "data", "wants-gluster", "unstuck-lab-gluster"


def apply(lab: Lab) -> None:
    # Part of Kubernetes up to 1.25.
    gone = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": CLASS},
        "provisioner": "kubernetes.io/glusterfs",
    }
    claim = _objects.make_claim(NS, CLAIM, storageClassName=CLASS)
    lab.apply(_objects.make_namespace(NS), gone, claim, _objects.make_pod_with_claim(NS, POD, CLAIM))


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    _steps.delete(lab, f"/apis/storage.k8s.io/v1/storageclasses/{CLASS}")


FAULT = Fault(
    name="provisioner-failing",
    summary="a claim, and the Pod that uses it, wait for a volume that the plugin of its class cannot create",
    scope="pod",
    subject=f"pvc/{CLAIM}",
    namespace=NS,
    accepts=("storage.provisioner-failing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=lambda lab: _checks.find_unbound_claim(
        lab, NS, POD, CLAIM, "ProvisioningFailed", "no volume plugin matched"
    ),
    heal=heal,
    consequences=("storage.claim-unbound",),
    also=(f"pod/{POD}",),
)
