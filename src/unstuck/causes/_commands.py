"""Commands that causes of several families offer, and the place to give them."""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.look_commands import logs
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts

__all__ = [
    "list_pods_on",
    "logs",
    "place_on_node",
    "remove_image",
    "runs_docker",
    "show_previous_log",
    "show_usage_on",
]


def place_on_node(name: str | None) -> str:
    """Return the place of a step on this Node, `node` if its name is unknown."""
    return f"node:{name}" if name else "node"


def runs_docker(subject: Ref, snap: Facts) -> bool:
    """Tell whether the runtime of this Node, or the Pod's, is docker: such Nodes may lack `crictl`."""
    node = find_node(subject, snap)
    info = snap.one(NodeInfo, node) if node else None
    return info is not None and info.runtime.startswith("docker:")


def remove_image(subject: Ref, snap: Facts, image: str) -> Command:
    """Take an image from the runtime's store."""
    name = given.image(image)
    return (
        command("docker rmi {image}", image=name)
        if runs_docker(subject, snap)
        else command("crictl rmi {image}", image=name)
    )


def list_pods_on(node: str | None) -> Command:
    """Return a Node's Pods; NODE if its name is unknown."""
    return command(
        "kubectl get pods -A -o wide --field-selector=spec.nodeName={node}", node=given.bare("Node", node)
    )


def show_usage_on(node: str) -> Command:
    """Return the command for the requests of a Node's Pods, and the usage of all Pods, largest first."""
    return command(
        "kubectl describe {node}; kubectl top pods -A --sort-by=memory", node=given.obj("node", node)
    )


def show_previous_log(pod: Ref, container: str | None) -> Command:
    """Return the command that prints the log of the container's previous run."""
    return command(
        "kubectl logs --previous {space} {pod} --container={container}",
        space=given.space(pod),
        pod=given.of(pod),
        container=given.container(container),
    )
