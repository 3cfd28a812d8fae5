"""A CSI volume that requires attachment: the real csi-attacher beside the lab's driver, a bound claim, a Pod.
No fault by itself.
"""

import hashlib
from collections.abc import Callable

from unstuck_lab import csi
from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _csi, _objects, _plugin, _steps
from unstuck_lab.faults._objects import Object
from unstuck_lab.faults._plugin import NODE, ROOT, name_driver
from unstuck_lab.paths import INNER_KUBECONFIG

# The node for the next Pod.
ELSEWHERE = "lab-2"
CLAIM, NEXT, CONTROLLER = "disk", "next", "disk-controller"


def derive_attachment_name(ns: str) -> str:
    """Return the VolumeAttachment's name, as the attach/detach controller derives it
    (pkg/volume/csi/csi_attacher.go, getAttachmentName).
    """
    return f"csi-{hashlib.sha256(f'{ns}{name_driver(ns)}{NODE}'.encode()).hexdigest()}"


def locate_attachment(ns: str) -> str:
    """Return the path of the VolumeAttachment."""
    return f"/apis/storage.k8s.io/v1/volumeattachments/{derive_attachment_name(ns)}"


def make_volume(ns: str, claim: str = CLAIM, more: str = "") -> tuple[Object, Object]:
    """Return a volume of the driver, and the claim bound to it. The volume is named after the Namespace (and
    `more`), because other faults have volumes too.
    """
    size = {"storage": "1Mi"}
    common: Object = {"accessModes": ["ReadWriteOnce"], "storageClassName": ""}
    made = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": ns + more},
        "spec": common
        | {
            "capacity": size,
            "persistentVolumeReclaimPolicy": "Retain",
            "csi": {"driver": name_driver(ns), "volumeHandle": ns + more},
            "claimRef": {"namespace": ns, "name": claim},
        },
    }
    bound = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": claim, "namespace": ns},
        "spec": common | {"volumeName": ns + more, "resources": {"requests": size}},
    }
    return made, bound


def _make_controller(lab: Lab, ns: str) -> Object:
    """Return the driver's controller: csi-attacher, mounted from the node by hostPath, with the driver's
    socket.
    """
    lent = {
        "program": (str(csi.ATTACHER.ensure(lab.paths, lambda _: None)), "/csi-attacher", "File"),
        "config": (f"/etc/{INNER_KUBECONFIG}", "/kubeconfig", "File"),
        "socket": (f"{ROOT}/plugins/{name_driver(ns)}", "/csi", "Directory"),
    }
    # It retries after at most 8 s instead of 5 min, so that healing is quick.
    command = [
        "/csi-attacher",
        "--csi-address=/csi/csi.sock",
        "--kubeconfig=/kubeconfig",
        "--retry-interval-max=8s",
        "--timeout=5s",
    ]
    template = _objects.make_pod(
        ns,
        CONTROLLER,
        container={
            "name": "csi-attacher",
            "command": [*command, "--leader-election", f"--leader-election-namespace={ns}", "--v=2"],
            "volumeMounts": [{"name": key, "mountPath": inside} for key, (_, inside, _) in lent.items()],
        },
        volumes=[
            {"name": key, "hostPath": {"path": outside, "type": kind}}
            for key, (outside, _, kind) in lent.items()
        ],
        nodeName=NODE,
        terminationGracePeriodSeconds=2,
    )
    labels = {"app": CONTROLLER}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": CONTROLLER, "namespace": ns, "labels": labels},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": template["spec"]},
        },
    }


def scale(lab: Lab, ns: str, replicas: int) -> None:
    """Scale the attacher, and wait for its Pods."""
    deployment = f"/apis/apps/v1/namespaces/{ns}/deployments/{CONTROLLER}"
    lab.request(
        "PATCH", deployment, {"spec": {"replicas": replicas}}, content_type="application/merge-patch+json"
    )
    lab.wait(
        lambda: (lab.get(deployment) or {"status": {}})["status"].get("readyReplicas", 0) == replicas,
        60,
        f"{replicas} Pods of {CONTROLLER} in {ns}",
    )


def put(lab: Lab, ns: str, pod: str) -> None:
    """Create the driver with its controller, and a Pod that needs a volume of it. Does not wait for
    the Pod.
    """
    _csi.start(lab, ns)
    _csi.start(lab, ns, ELSEWHERE)
    kinds = _csi.make_driver(ns, attachRequired=True)
    lab.apply(_objects.make_namespace(ns), kinds, *make_volume(ns), _make_controller(lab, ns))
    lab.apply(_make_pod_on(ns, pod, NODE))


def make(lab: Lab, ns: str, pod: str) -> None:
    """Create driver and Pod, and wait until the Pod runs with the volume attached to its node."""
    put(lab, ns, pod)
    # Leader election, attaching and the kubelet's check of its Node's status take some seconds each.
    _steps.wait_running(lab, ns, pod, timeout=120)


def _make_pod_on(ns: str, pod: str, node: str) -> Object:
    made = _objects.make_pod_with_claim(ns, pod, CLAIM)
    made["spec"]["nodeName"] = node
    return made


def end(lab: Lab, ns: str, pod: str) -> None:
    """Delete the Pod, so that its volume has to be detached."""
    _steps.delete_pod(lab, ns, pod, grace=1)
    lab.wait(lambda: lab.get_pod(ns, pod) is None, 60, f"end of pod {ns}/{pod}")
    # The kubelet reports the unmounted volume with its Node's status, every 10 s.
    lab.wait(lambda: find_deleting_attachment(lab, ns), 60, f"deletion of the VolumeAttachment of {ns}")


def start_next(lab: Lab, ns: str) -> None:
    """Start a Pod that needs the volume on another node."""
    lab.apply(_make_pod_on(ns, NEXT, ELSEWHERE))


def find_deleting_attachment(lab: Lab, ns: str) -> Object | None:
    """Return the VolumeAttachment while it is being deleted."""
    found = lab.get(locate_attachment(ns))
    return found if found and "deletionTimestamp" in found["metadata"] else None


def find_attach_failure(lab: Lab, ns: str, said: str) -> str | None:
    """Return the reason for the missing volume of the Pod on the other node."""
    return _checks.find_event(lab, ns, NEXT, "FailedAttachVolume", said)


def delete_volume(lab: Lab, ns: str) -> None:
    """Request the deletion of the claim and its volume without waiting."""
    _steps.delete(lab, f"/api/v1/namespaces/{ns}/persistentvolumeclaims/{CLAIM}")
    _steps.delete(lab, f"/api/v1/persistentvolumes/{ns}")


def heal(lab: Lab, ns: str, pod: str) -> None:
    """Run a working attacher until the volume is detached and deleted; then remove it."""
    _plugin.forgive(lab, ns)
    if lab.get(f"/api/v1/namespaces/{ns}") is not None:
        _csi.start(lab, ns)
        for one in (NEXT, pod):
            _steps.delete_pod(lab, ns, one, grace=1)
        if lab.get(f"/apis/apps/v1/namespaces/{ns}/deployments/{CONTROLLER}") is not None:
            scale(lab, ns, 1)
        lab.wait(
            lambda: lab.get_pod(ns, pod) is None and lab.get_pod(ns, NEXT) is None,
            90,
            f"end of the pods of {ns}",
        )
        lab.wait(lambda: not _list_attachments(lab, ns), 150, f"end of the VolumeAttachments of {ns}")
        delete_volume(lab, ns)
        # The attacher removes its finalizer from the volume.
        lab.wait(lambda: lab.get(f"/api/v1/persistentvolumes/{ns}") is None, 60, f"end of the volume of {ns}")
        _steps.remove_namespace(lab, ns)
    _plugin.remove(lab, ns, "csi", ELSEWHERE)
    _csi.remove(lab, ns)


def make_heal(ns: str, pod: str) -> Callable[[Lab], None]:
    """Return `heal` for one fault."""
    return lambda lab: heal(lab, ns, pod)


def make_refusal_fault(name: str, summary: str, *, pod: str, told: str, says: str, accepts: str) -> Fault:
    """Return the fault of a driver that refuses to attach a Pod's volume. It is observed once the
    attach/detach controller reports it with these words.
    """
    ns = f"f-{name}"

    def apply(lab: Lab) -> None:
        _plugin.tell(lab, ns, told)
        put(lab, ns, pod)

    return Fault(
        name=name,
        summary=summary,
        scope="pod",
        subject=f"pod/{pod}",
        namespace=ns,
        accepts=(accepts,),
        with_node="proven",
        without_node="likely",
        needs_node_access=True,
        apply=apply,
        observe=lambda lab: _checks.find_event(lab, ns, pod, "FailedAttachVolume", says),
        heal=make_heal(ns, pod),
        settle=120,
    )


def _list_attachments(lab: Lab, ns: str) -> list[str]:
    """List the names of the driver's VolumeAttachments."""
    listed = lab.request("GET", "/apis/storage.k8s.io/v1/volumeattachments")["items"]
    return [str(item["metadata"]["name"]) for item in listed if item["spec"]["attacher"] == name_driver(ns)]
