"""A Pod that was deleted from the API while its kubelet was down, and whose directory remains; and the
removal of such a directory.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _node, _objects, _steps
from unstuck_lab.node import Node

NODE = "lab-2"


def leave(lab: Lab, ns: str, name: str) -> str:
    """Create a Pod, stop its kubelet, force delete the Pod, and return its uid. The kubelet stays down."""
    node = lab.get_node(NODE)
    pod = _steps.run(
        lab, _objects.make_pod_with_volume(ns, name, {"name": "d", "emptyDir": {}}, nodeName=NODE)
    )
    node.stop_kubelet()
    _steps.delete_pod(lab, ns, name, grace=0)
    lab.wait(lambda: lab.get_pod(ns, name) is None, 20, f"end of pod {ns}/{name}")
    return str(pod["metadata"]["uid"])


def start_kubelet(lab: Lab) -> None:
    """Start the kubelet, and wait until the Node is Ready."""
    node = lab.get_node(NODE)
    node.start_kubelet()
    _node.wait_ready(lab, NODE)


def list_orphans(node: Node, mark: str) -> list[str]:
    """List the uids of Pod directories that contain a volume directory named `mark`."""
    found = node.run(["sh", "-c", f"ls -d /var/lib/kubelet/pods/*/volumes/*/{mark}"]).stdout.split()
    return [path.split("/")[5] for path in found]


def find_orphan(lab: Lab, mark: str) -> str | None:
    """Return the first orphan's uid, unless the API has a Pod with it."""
    uids = list_orphans(lab.get_node(NODE), mark)
    known = {p["metadata"]["uid"] for p in lab.request("GET", "/api/v1/pods")["items"]}
    return uids[0] if uids and uids[0] not in known else None


def remove(lab: Lab, ns: str, mark: str) -> None:
    """Unmount and remove the leftovers, and the Namespace."""
    node = lab.get_node(NODE)
    if node.running:
        if node.kubelet_pid is None:
            start_kubelet(lab)
        for uid in list_orphans(node, mark):
            _remove_directory(lab, node, f"/var/lib/kubelet/pods/{uid}", mark)
    _steps.remove_namespace(lab, ns)


def _remove_directory(lab: Lab, node: Node, top: str, mark: str) -> None:
    """Remove the leftovers that the kubelet does not remove itself."""
    node.run(
        [
            "sh",
            "-c",
            f"umount {top}/volumes/*/{mark} 2>/dev/null; rm -rf --one-file-system {top}/volumes/*/{mark}",
        ]
    )
    lab.wait(lambda: node.run(["test", "-e", top]).returncode != 0, 30, f"end of {top}")
