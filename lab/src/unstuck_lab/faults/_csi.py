"""A CSI driver on one node, and a Pod with a volume of it. No fault by itself."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _plugin, _steps
from unstuck_lab.faults._objects import Object
from unstuck_lab.faults._plugin import NODE, ROOT, name_driver


def start(lab: Lab, ns: str, on: str = NODE) -> None:
    """Start the driver, and wait until the kubelet has registered it."""
    _plugin.spawn(lab, ns, "csi", on)
    lab.wait(lambda: is_registered(lab, ns, on), 30, f"registration of {name_driver(ns)} on {on}")


def is_registered(lab: Lab, ns: str, on: str = NODE) -> bool:
    """Tell whether the node's CSINode lists the driver."""
    found = lab.get(f"/apis/storage.k8s.io/v1/csinodes/{on}")
    return any(d["name"] == name_driver(ns) for d in (found or {}).get("spec", {}).get("drivers") or [])


def make_driver(ns: str, **spec: object) -> Object:
    """Return the driver's CSIDriver object."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIDriver",
        "metadata": {"name": name_driver(ns)},
        "spec": {"podInfoOnMount": True, **spec},
    }


def put(lab: Lab, ns: str, pod: str) -> None:
    """Create the driver, its CSIDriver, and a Pod with a volume `v` of it. Does not wait for the Pod."""
    start(lab, ns)
    kinds = make_driver(ns, attachRequired=False, volumeLifecycleModes=["Ephemeral"])
    user = _objects.make_pod_with_volume(
        ns, pod, {"name": "v", "csi": {"driver": name_driver(ns)}}, nodeName=NODE
    )
    lab.apply(_objects.make_namespace(ns), kinds, user)


def make(lab: Lab, ns: str, pod: str) -> Object:
    """Create driver and Pod, wait until the Pod runs, and return it."""
    put(lab, ns, pod)
    return _steps.wait_running(lab, ns, pod)


def locate_volume_dir(pod: Object) -> str:
    """Return the directory of the volume `v` on the node, which holds the kubelet's `vol_data.json`."""
    return f"{ROOT}/pods/{pod['metadata']['uid']}/volumes/kubernetes.io~csi/v"


def remove(lab: Lab, ns: str) -> None:
    """Remove the driver and its CSIDriver."""
    _plugin.remove(lab, ns, "csi")
    _steps.delete(lab, f"/apis/storage.k8s.io/v1/csidrivers/{name_driver(ns)}")


def heal(lab: Lab, ns: str) -> None:
    """Run a working driver until the Pod is gone; then remove it."""
    _plugin.forgive(lab, ns)
    if lab.get(f"/api/v1/namespaces/{ns}") is not None:
        start(lab, ns)
        # The kubelet retries after 2 min 2 s at most.
        _steps.remove_namespace(lab, ns, timeout=180)
    remove(lab, ns)


def make_fault(name: str, summary: str, *, pod: str, told: str, says: str, settle: float = 60) -> Fault:
    """Return the fault of a Pod deleted after its driver got new instructions. It is observed once the
    kubelet reports this message for the volume.
    """
    ns = f"f-{name}"

    def apply(lab: Lab) -> None:
        make(lab, ns, pod)
        _plugin.tell(lab, ns, told)
        _steps.delete_pod(lab, ns, pod, grace=1)

    return Fault(
        name=name,
        summary=summary,
        scope="pod",
        subject=f"pod/{pod}",
        namespace=ns,
        accepts=("volume.csi-call-failed",),
        with_node="likely",
        without_node="undecided",
        needs_node_access=True,
        apply=apply,
        observe=lambda lab: _checks.find_deletion_line(lab, ns, pod, "UnmountVolume.TearDown failed", says),
        heal=lambda lab: heal(lab, ns),
        settle=settle,
    )
