"""A claim names the StorageClass `fast`, which is not there; a Pod waits for the claim."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, CLAIM, POD = "f-pvc-class-missing", "data", "wants-data"


def apply(lab: Lab) -> None:
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": CLAIM, "namespace": NS},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "fast",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    pod = _kit.pod(
        NS,
        POD,
        container={"volumeMounts": [{"name": "v", "mountPath": "/v"}]},
        volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": CLAIM}}],
    )
    lab.apply(_kit.namespace(NS), claim, pod)


def held(lab: Lab) -> str | None:
    waits = _kit.event(lab, NS, POD, "FailedScheduling", "unbound immediate PersistentVolumeClaims")
    return waits and _kit.event(lab, NS, CLAIM, "ProvisioningFailed", '"fast" not found')


FAULT = Fault(
    name="pvc-class-missing",
    summary="a claim, and the Pod that uses it, wait for a StorageClass that is not there",
    scope="pod",
    subject=f"pvc/{CLAIM}",
    namespace=NS,
    accepts=("storage.class-missing",),
    consequences=("storage.claim-unbound",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
    also=(f"pod/{POD}",),
)
