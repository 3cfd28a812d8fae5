"""A Pod that selects a containerd handler with one fault (see handlers.py). No fault by itself."""

from collections.abc import Callable

from unstuck_lab import handlers
from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps
from unstuck_lab.node import Node

NODE = "lab-2"
Spoil = Callable[[Node], None]


def put(lab: Lab, ns: str, pod: _objects.Object, handler: str) -> None:
    """Create the Pod with its RuntimeClass on the node. Does not wait for it."""
    pod["spec"] |= {"runtimeClassName": ns, "nodeName": NODE}
    lab.apply(_objects.make_namespace(ns), handlers.make_runtime_class(handler, ns), pod)


def remove(lab: Lab, ns: str) -> None:
    """Remove the Namespace and the RuntimeClass."""
    _steps.remove_namespace(lab, ns)
    _steps.delete(lab, f"/apis/node.k8s.io/v1/runtimeclasses/{ns}")


def do_nothing(_node: Node) -> None:
    """Do nothing to the node."""


def make_fault(  # noqa: PLR0913 - the whole fault in one call
    name: str,
    summary: str,
    *,
    handler: str,
    pod: str,
    says: str,
    accepts: str,
    reason: str = "FailedCreatePodSandBox",
    spoil: tuple[Spoil, Spoil] = (do_nothing, do_nothing),
    fix: Spoil = do_nothing,
    seen: Callable[[Lab], str | None] = lambda _: "",
) -> Fault:
    """Return the fault of a Pod with this handler that does not start. It is observed once the kubelet's
    event reports it and `seen` returns a sentence.

    spoil: breaks the node before, and repairs it at the end. fix: repairs the obstacle to deleting such a
    Pod.
    """
    ns = f"f-{name}"

    def apply(lab: Lab) -> None:
        spoil[0](lab.get_node(NODE))
        put(lab, ns, _objects.make_pod(ns, pod), handler)

    def observe(lab: Lab) -> str | None:
        message, more = _checks.find_event(lab, ns, pod, reason, says), seen(lab)
        return None if message is None or more is None else "; ".join(filter(None, (more, message)))

    def heal(lab: Lab) -> None:
        node = lab.get_node(NODE)
        if node.running:
            fix(node)
        remove(lab, ns)
        if node.running:
            spoil[1](node)

    return Fault(
        name=name,
        summary=summary,
        scope="pod",
        subject=f"pod/{pod}",
        namespace=ns,
        accepts=(accepts,),
        # Only the kubelet's second report proves it, and its second try may come more than a minute later.
        with_node="likely",
        without_node="likely",
        needs_node_access=True,
        apply=apply,
        observe=observe,
        heal=heal,
    )
