"""A deleted Namespace holds a Pod that stays Terminating, because of an immutable file in its emptyDir.

Since 1.33 all conditions of such a Namespace may report no problem.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _immutable, _steps

NS, NAME = "f-pod-remains", "ed-immut"


def apply(lab: Lab) -> None:
    _immutable.make(lab, NS, NAME)
    _steps.delete_namespace(lab, NS)


def observe(lab: Lab) -> str | None:
    found = lab.get(f"/api/v1/namespaces/{NS}")
    return (
        _immutable.find_refusal(lab, NS, NAME) if found and "deletionTimestamp" in found["metadata"] else None
    )


def heal(lab: Lab) -> None:
    _immutable.undo(lab, NS, NAME)


FAULT = Fault(
    name="namespace-pod-remains",
    summary="a Namespace stays because a Pod in it cannot be removed",
    scope="pod",  # it affects only its own Namespace
    subject=f"ns/{NS}",
    namespace=NS,
    accepts=("file.immutable",),
    consequences=("namespace.pods-remain",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
    also=(f"pod/{NAME}",),
)
