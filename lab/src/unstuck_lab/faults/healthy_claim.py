"""Nothing is wrong: a Pod with a claim that is bound to a volume of the node."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, POD, CLAIM, VOLUME = "f-healthy-claim", "has-data", "data", "unstuck-lab-data"


def apply(lab: Lab) -> None:
    size = {"storage": "10Mi"}
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": VOLUME},
        "spec": {
            "capacity": size,
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "",
            "persistentVolumeReclaimPolicy": "Retain",
            # In the node's own tmpfs.
            "hostPath": {"path": "/run/unstuck-lab-data", "type": "DirectoryOrCreate"},
            "claimRef": {"namespace": NS, "name": CLAIM},
        },
    }
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": CLAIM, "namespace": NS},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "",
            "volumeName": VOLUME,
            "resources": {"requests": size},
        },
    }
    pod = _kit.pod(
        NS,
        POD,
        container={"volumeMounts": [{"name": "v", "mountPath": "/v"}]},
        volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": CLAIM}}],
    )
    lab.apply(_kit.namespace(NS), volume, claim, pod)


def held(lab: Lab) -> str | None:
    found = lab.pod(NS, POD)
    statuses = found["status"].get("containerStatuses", []) if found else []
    return "the Pod is ready" if statuses and statuses[0]["ready"] else None


def heal(lab: Lab) -> None:
    _kit.remove_namespace(lab, NS)
    _kit.delete(lab, f"/api/v1/persistentvolumes/{VOLUME}")
    for node in lab.nodes:
        if node.running:
            node.run(["rm", "-rf", "/run/unstuck-lab-data"])


FAULT = Fault(
    name="healthy-claim",
    summary="a Pod that runs with a bound claim",
    scope="pod",
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=(),
    consequences=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
    also=(f"pvc/{CLAIM}", f"pv/{VOLUME}"),
)
