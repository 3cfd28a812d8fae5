"""A CSI driver on one node, and a Pod with a volume of it. No fault by itself."""

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _kit, _plugin
from unstuck_lab.faults._kit import Object
from unstuck_lab.faults._plugin import NODE, ROOT, name


def start(lab: Lab, ns: str, on: str = NODE) -> None:
    """Start the driver, and wait until the kubelet has registered it."""
    _plugin.spawn(lab, ns, "csi", on)
    lab.wait(lambda: registered(lab, ns, on), 30, f"registration of {name(ns)} on {on}")


def registered(lab: Lab, ns: str, on: str = NODE) -> bool:
    """Whether the node's CSINode lists the driver."""
    found = lab.get(f"/apis/storage.k8s.io/v1/csinodes/{on}")
    return any(d["name"] == name(ns) for d in (found or {}).get("spec", {}).get("drivers") or [])


def driver(ns: str, **spec: object) -> Object:
    """Its CSIDriver."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIDriver",
        "metadata": {"name": name(ns)},
        "spec": {"podInfoOnMount": True, **spec},
    }


def make(lab: Lab, ns: str, pod: str) -> Object:
    """The driver, its CSIDriver, and a Pod that runs with a volume `v` of it; the Pod."""
    start(lab, ns)
    mounts = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    volume = {"name": "v", "csi": {"driver": name(ns)}}
    kinds = driver(ns, attachRequired=False, volumeLifecycleModes=["Ephemeral"])
    lab.apply(_kit.namespace(ns), kinds, _kit.pod(ns, pod, container=mounts, volumes=[volume], nodeName=NODE))
    return _kit.wait_running(lab, ns, pod)


def volume_dir(pod: Object) -> str:
    """Where the kubelet keeps `vol_data.json` of the volume `v`."""
    return f"{ROOT}/pods/{pod['metadata']['uid']}/volumes/kubernetes.io~csi/v"


def remove(lab: Lab, ns: str) -> None:
    """The driver and its CSIDriver."""
    _plugin.remove(lab, ns, "csi")
    _kit.delete(lab, f"/apis/storage.k8s.io/v1/csidrivers/{name(ns)}")


def heal(lab: Lab, ns: str) -> None:
    """A driver that answers, until the Pod is gone; then nothing of it."""
    _plugin.forgive(lab, ns)
    if lab.get(f"/api/v1/namespaces/{ns}") is not None:
        start(lab, ns)
        # The kubelet tries again after at most 2 min 2 s.
        _kit.remove_namespace(lab, ns, timeout=180)
    remove(lab, ns)
