"""The Namespace enforces `restricted`, and the Pods want the node's network."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit, _owned

NS = "f-pod-security"


def apply(lab: Lab) -> None:
    space = _kit.namespace(NS)
    space["metadata"]["labels"] = {"pod-security.kubernetes.io/enforce": "restricted"}
    lab.apply(space)
    lab.apply(_owned.deployment(NS, hostNetwork=True), _owned.stateful_set(NS, hostNetwork=True))


FAULT = Fault(
    name="pod-security",
    summary="the Namespace's Pod Security level forbids the Pods",
    scope="pod",
    subject="deployment/web",
    namespace=NS,
    accepts=("admission.pod-security",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=_owned.refusal(NS, "violates PodSecurity"),
    heal=_kit.removing(NS),
    also=(f"statefulset/{_owned.DB}",),
)
