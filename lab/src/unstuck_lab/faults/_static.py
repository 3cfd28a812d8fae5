"""Static Pods: manifests in a node's own directory. No fault by themselves."""

import json

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _objects, _steps
from unstuck_lab.node import Node

DIRECTORY = "/etc/kubernetes/manifests"


def run(lab: Lab, node: Node, ns: str, name: str) -> _objects.Object:
    """Create the Namespace, write the manifest, wait until the mirror is Ready, and return the mirror."""
    lab.apply(_objects.make_namespace(ns))
    # In the usual layout; JSON values are YAML too.
    text = "\n".join(
        f"{key}: {json.dumps(value)}"
        for key, value in _objects.make_pod(ns, name).items()
        if key != "metadata"
    )
    text += f"\nmetadata:\n  name: {name}\n  namespace: {ns}\n"
    node.check(["sh", "-c", f"cat > {DIRECTORY}/{ns}.yaml"], stdin=text)
    return _steps.wait_running(lab, ns, name_mirror(node.name, name))


def name_mirror(node: str, name: str) -> str:
    """Return the name of a static Pod's mirror."""
    return f"{name}-{node}"


def end(lab: Lab, node: Node, ns: str, name: str) -> None:
    """Remove the manifest, wait until the mirror is gone, and remove the Namespace."""
    if node.running:
        pod = name_mirror(node.name, name)
        node.check(["rm", "-f", f"{DIRECTORY}/{ns}.yaml"])
        lab.wait(lambda: lab.get_pod(ns, pod) is None, 90, f"end of pod {ns}/{pod}")
    _steps.remove_namespace(lab, ns)
