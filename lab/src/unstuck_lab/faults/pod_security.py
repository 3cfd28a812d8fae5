"""The Namespace enforces `restricted`, and the Pods use the host network."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _owned, _steps

NS = "f-pod-security"


def apply(lab: Lab) -> None:
    space = _objects.make_namespace(NS)
    space["metadata"]["labels"] = {"pod-security.kubernetes.io/enforce": "restricted"}
    lab.apply(space)
    lab.apply(_owned.make_deployment(NS, hostNetwork=True), _owned.make_stateful_set(NS, hostNetwork=True))


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
    observe=_owned.make_refusal_check(NS, "violates PodSecurity"),
    heal=_steps.make_heal(NS),
    also=(f"statefulset/{_owned.DB}",),
)
