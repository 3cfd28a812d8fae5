"""A Pod that is gone from the API while its kubelet is down, so that its directory is left; and the end of such a directory."""

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _kit
from unstuck_lab.node import Node

NODE = "lab-2"


def leave(lab: Lab, ns: str, name: str) -> str:
    """Make a Pod, end its kubelet, force delete the Pod; its uid. The kubelet stays down."""
    node = lab.node(NODE)
    volume = {"name": "d", "emptyDir": {}}
    mounts = {"volumeMounts": [{"name": "d", "mountPath": "/d"}]}
    lab.apply(_kit.namespace(ns), _kit.pod(ns, name, nodeName=NODE, container=mounts, volumes=[volume]))
    uid = str(_kit.wait_running(lab, ns, name)["metadata"]["uid"])
    node.stop_kubelet()
    _kit.delete_pod(lab, ns, name, grace=0)
    lab.wait(lambda: lab.pod(ns, name) is None, 20, f"end of pod {ns}/{name}")
    return uid


def back(lab: Lab) -> None:
    """The kubelet runs again, and the Node is Ready."""
    node = lab.node(NODE)
    node.start_kubelet()
    lab.wait(lambda: lab.node_ready(NODE), 90, f"node {NODE} Ready")


def orphans(node: Node, mark: str) -> list[str]:
    """Uids of directories in which a volume's directory is called `mark`."""
    found = node.run(["sh", "-c", f"ls -d /var/lib/kubelet/pods/*/volumes/*/{mark}"]).stdout.split()
    return [path.split("/")[5] for path in found]


def remove(lab: Lab, ns: str, mark: str) -> None:
    """Unmount and remove what is left, and the Namespace."""
    node = lab.node(NODE)
    if node.running:
        if node.kubelet_pid is None:
            back(lab)
        for uid in orphans(node, mark):
            top = f"/var/lib/kubelet/pods/{uid}"
            node.run(["sh", "-c", f"umount {top}/volumes/*/{mark} 2>/dev/null; rm -rf --one-file-system {top}/volumes/*/{mark}"])
            lab.wait(lambda top=top: node.run(["test", "-e", top]).returncode != 0, 30, f"end of {top}")  # type: ignore[misc]
    _kit.remove_namespace(lab, ns)
