"""Commands that causes of several families offer, and the place to give them."""

from __future__ import annotations

from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import node_for
from unstuck.facts.snapshot import Snapshot


def on_node(name: str | None) -> str:
    """The place of a step that is taken on this Node, `node` where nobody told its name."""
    return f"node:{name}" if name else "node"


def runtime_cli(subject: Ref, snap: Snapshot, *words: str) -> tuple[str, ...]:
    """A command to the runtime of this Node, or the Pod's: by `docker` where it is that, as such Nodes may lack `crictl`."""
    node = node_for(subject, snap)
    info = snap.one(NodeInfo, node) if node else None
    if info is None or not info.runtime.startswith("docker:"):
        return ("crictl", *words)
    return ("docker", *{("rmi", "--prune"): ("image", "prune", "-a"), ("imagefsinfo",): ("system", "df")}.get(words, words))


def pods_on(node: str | None) -> tuple[str, ...]:
    """A Node's Pods; NODE where nobody told its name."""
    return ("kubectl", "get", "pods", "-A", "-o", "wide", "--field-selector", f"spec.nodeName={node or 'NODE'}")


def usage_on(node: str) -> tuple[str, ...]:
    """What a Node's Pods requested, and what all Pods use, the largest first."""
    return ("sh", "-c", f"kubectl describe node {node}; kubectl top pods -A --sort-by=memory")


def space(about: Ref) -> tuple[str, ...]:
    """The option `-n` for an object; nothing for one outside of Namespaces."""
    return ("-n", about.within) if about.within else ()


def logs(pod: Ref, container: str | None, *options: str) -> tuple[str, ...]:
    """What a Pod's container wrote, of its only one where nobody named it."""
    return ("kubectl", "logs", *options, *space(pod), pod.name or "POD", *(("-c", container) if container else ()))
