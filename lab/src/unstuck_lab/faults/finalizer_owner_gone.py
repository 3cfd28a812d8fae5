"""The operator that clears a finalizer was uninstalled; its CRD, its object and its Lease stay. managedFields
name the owner of the finalizer; whether it still runs outside the cluster is unknown, so
`finalizer.unknown-owner` is right too.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _operator, _steps

OPERATOR = _operator.Operator(
    "f-finalizer-owner-gone", "index-operator", "index.example.com", "SearchIndex", "books"
)


def apply(lab: Lab) -> None:
    _operator.install(lab, OPERATOR)
    _steps.delete(lab, OPERATOR.deployment)
    lab.wait(lambda: not _operator.list_pods(lab, OPERATOR), 60, f"end of {OPERATOR.name}")
    _steps.delete(lab, OPERATOR.path)


def observe(lab: Lab) -> str | None:
    return None if lab.get(OPERATOR.deployment) else _operator.find_deletion(lab, OPERATOR)


def heal(lab: Lab) -> None:
    _operator.remove(lab, OPERATOR)


FAULT = Fault(
    name="finalizer-owner-gone",
    summary="an object stays because its operator was uninstalled before it",
    scope="pod",
    subject=OPERATOR.subject,
    namespace=OPERATOR.ns,
    accepts=("finalizer.controller-gone", "finalizer.unknown-owner"),
    with_node="likely",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
)
