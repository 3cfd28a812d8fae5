"""A CSI driver on one node, and a Pod with a volume of it. No fault by itself."""

from unstuck_lab import csi
from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _kit
from unstuck_lab.faults._kit import Object

NODE = "lab-3"
CONTROL = "/run/unstuck-lab-csi"
ROOT = "/var/lib/kubelet"


def name(ns: str) -> str:
    """Every fault has a driver of its own, so that two of them do not meet."""
    return f"{ns}.{csi.DRIVER}"


def _command(lab: Lab, ns: str) -> list[str]:
    driver = csi.ensure(lab.paths, lambda _: None)
    return [str(driver), "-name", name(ns), "-node", NODE, "-control", f"{CONTROL}/{ns}"]


def start(lab: Lab, ns: str) -> None:
    """Start the driver, and wait until the kubelet has registered it."""
    node = lab.node(NODE)
    if node.find(_command(lab, ns)) is None:
        node.check(["mkdir", "-p", f"{CONTROL}/{ns}"])
        node.spawn(_command(lab, ns), log="csi-driver")
    lab.wait(lambda: registered(lab, ns), 30, f"registration of {name(ns)}")


def registered(lab: Lab, ns: str) -> bool:
    """Whether the node's CSINode lists the driver."""
    found = lab.get(f"/apis/storage.k8s.io/v1/csinodes/{NODE}")
    return any(d["name"] == name(ns) for d in (found or {}).get("spec", {}).get("drivers") or [])


def kill(lab: Lab, ns: str) -> None:
    """As when a driver's DaemonSet is uninstalled: its process ends and its sockets are removed."""
    node = lab.node(NODE)
    node.kill(_command(lab, ns))
    node.run(["rm", "-rf", f"{ROOT}/plugins/{name(ns)}", f"{ROOT}/plugins_registry/{name(ns)}-reg.sock"])


def make(lab: Lab, ns: str, pod: str) -> Object:
    """The driver, its CSIDriver, and a Pod that runs with a volume `v` of it; the Pod."""
    driver = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIDriver",
        "metadata": {"name": name(ns)},
        "spec": {"attachRequired": False, "podInfoOnMount": True, "volumeLifecycleModes": ["Ephemeral"]},
    }
    start(lab, ns)
    mounts = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    volume = {"name": "v", "csi": {"driver": name(ns)}}
    lab.apply(_kit.namespace(ns), driver, _kit.pod(ns, pod, container=mounts, volumes=[volume], nodeName=NODE))
    return _kit.wait_running(lab, ns, pod)


def tell(lab: Lab, ns: str, what: str) -> None:
    """Make the driver's NodeUnpublishVolume `hang` or `fail` from now on."""
    lab.node(NODE).check(["touch", f"{CONTROL}/{ns}/{what}"])


def volume_dir(pod: Object) -> str:
    """Where the kubelet keeps `vol_data.json` of the volume `v`."""
    return f"{ROOT}/pods/{pod['metadata']['uid']}/volumes/kubernetes.io~csi/v"


def said(lab: Lab, ns: str, pod: str, *parts: str) -> str | None:
    """The kubelet's line about the Pod that holds all the parts, while the Pod is being deleted."""
    found = _kit.deleting(lab, ns, pod)
    if not found:
        return None
    text = lab.node(NODE).kubelet_log.read_text(errors="replace")
    return _kit.log_line(text, found["metadata"]["uid"], *parts)


def heal(lab: Lab, ns: str) -> None:
    """A driver that answers, until the Pod is gone; then nothing of it."""
    node = lab.node(NODE)
    node.run(["sh", "-c", f"rm -f {CONTROL}/{ns}/*"])
    if lab.get(f"/api/v1/namespaces/{ns}") is not None:
        start(lab, ns)
        # The kubelet tries again after at most 2 min 2 s.
        _kit.remove_namespace(lab, ns, timeout=180)
    kill(lab, ns)
    _kit.delete(lab, f"/apis/storage.k8s.io/v1/csidrivers/{name(ns)}")
    node.run(["rm", "-rf", f"{CONTROL}/{ns}"])
